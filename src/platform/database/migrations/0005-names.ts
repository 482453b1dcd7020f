import type pg from 'pg';
import { nameKey } from '../name-key.ts';

/** Makes names of servers and active environments unique in their project, regardless of case. */
export const names = {
  name: '0005-names',
  sql: `
alter table servers add column name_key text collate "C";
alter table environments add column name_key text collate "C";
`,
  fill: async (client: pg.ClientBase): Promise<void> => {
    await fillKeys(client, 'servers', 'true');
    await fillKeys(client, 'environments', 'archived_at is null');
  },
  finish: `
alter table servers alter column name_key set not null, drop constraint servers_name;
alter table servers add constraint servers_name unique (project_id, name_key);
drop index environments_name;
create unique index environments_name on environments (project_id, name_key) where archived_at is null;
-- Lists show neither those on the fly nor, mostly, the archived ones; there may be many of both.
create index environments_live on environments (project_id, id) where name is not null and archived_at is null;
create index environments_named on environments (project_id, id) where name is not null;
`,
};

interface Named {
  id: string;
  projectId: string;
  name: string;
  live: boolean;
}

const batch = 5000;

/**
 * If several names have the same key, the oldest row gets it. Each other row keeps its name and gets a key with its id
 * after a control character, which is unique because no name contains control characters.
 */
async function fillKeys(client: pg.ClientBase, table: string, live: string): Promise<void> {
  let after = ['', ''];
  let taken = new Set<string>();
  for (;;) {
    const { rows } = await client.query<Named>(
      `select id, project_id as "projectId", name, ${live} as live from ${table}
       where name is not null and (project_id, id) > ($1, $2) order by project_id, id limit ${batch}`,
      after,
    );
    const keys = rows.map(({ id, projectId, name, live: counts }) => {
      if (projectId !== after[0]) taken = new Set();
      after = [projectId, id];
      const key = nameKey(name);
      if (counts && taken.has(key)) return `${key}\u001f${id}`;
      if (counts) taken.add(key);
      return key;
    });
    await client.query(
      `update ${table} t set name_key = given.key from unnest($1::text[], $2::text[]) as given (id, key)
       where t.id = given.id`,
      [rows.map(({ id }) => id), keys],
    );
    if (rows.length < batch) return;
  }
}
