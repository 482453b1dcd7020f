import { type Db, statement } from '../database.ts';

export interface SecretRow {
  id: string;
  projectId: string;
  name: string;
  description: string | null;
  delivery: 'brokered' | 'materialized';
  brokerHosts: string[] | null;
  brokerHeader: string | null;
  brokerTemplate: string | null;
  sharing: 'user' | 'project';
  /** Null when it is shared in the project. */
  ownerId: string | null;
  sealedId: string;
  lastDeliveredAt: number | null;
  createdBy: string;
  updatedBy: string;
  createdAt: number;
  updatedAt: number;
}

const columns = `id, project_id as "projectId", name, description, delivery, broker_hosts as "brokerHosts",
  broker_header as "brokerHeader", broker_template as "brokerTemplate", sharing, owner_id as "ownerId",
  sealed_id as "sealedId", last_delivered_at as "lastDeliveredAt", created_by as "createdBy",
  updated_by as "updatedBy", created_at as "createdAt", updated_at as "updatedAt"`;

// $1 project, $2 user: a personal secret exists for its owner only. Served by secrets_project.
const visible = `from secrets where project_id = $1 and (sharing = 'project' or owner_id = $2)`;

const list = statement<SecretRow>('secrets.list', `select ${columns} ${visible} order by id`);
const find = statement<SecretRow>('secrets.find', `select ${columns} ${visible} and id = $3`);
const lock = statement<SecretRow>('secrets.lock', `select ${columns} ${visible} and id = $3 for update`);
const among = statement<VisibleSecret>(
  'secrets.among',
  `select id, name, sharing, owner_id as "ownerId" ${visible} and id = any($3) order by id`,
);
const count = statement<{ count: number }>(
  'secrets.count',
  'select count(*)::int as count from secrets where project_id = $1 and owner_id is not distinct from $2',
);
const insert = statement<SecretRow>(
  'secrets.insert',
  `insert into secrets (id, project_id, name, description, delivery, broker_hosts, broker_header, broker_template,
     sharing, owner_id, sealed_id, created_by, updated_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12) returning ${columns}`,
);
const update = statement<SecretRow>(
  'secrets.update',
  `update secrets set description = $3, delivery = $4, broker_hosts = $5, broker_header = $6, broker_template = $7,
     sealed_id = $8, updated_by = $9, updated_at = now()
   where project_id = $1 and id = $2 returning ${columns}`,
);
const remove = statement('secrets.delete', 'delete from secrets where project_id = $1 and id = $2');
// Marked and read in one statement, so that what is handed out is what was marked.
const deliver = statement<DeliveredRow>(
  'secrets.deliver',
  `with granted as (
     update secrets set last_delivered_at = now()
     where project_id = $1 and (sharing = 'project' or owner_id = $2) and id = any($3)
       and exists (select from projects p where p.id = $1 and p.deleted_at is null)
     returning id, name, delivery, broker_hosts, broker_header, broker_template, sharing, sealed_id)
   select g.id, g.name, g.delivery, g.broker_hosts as "brokerHosts", g.broker_header as "brokerHeader",
     g.broker_template as "brokerTemplate", g.sharing, v.id as "sealedId", v.key_id as "keyId", v.ciphertext
   from granted g join sealed_values v on v.id = g.sealed_id order by g.sharing, g.id`,
);
// Served by secrets_owner.
const removeOwned = statement(
  'secrets.delete-owned',
  `with gone as (delete from secrets where owner_id = $1 returning sealed_id)
   delete from sealed_values where id in (select sealed_id from gone)`,
);

export function listSecretRows(db: Db, projectId: string, userId: string): Promise<SecretRow[]> {
  return db.rows(list, [projectId, userId]);
}

/** A secret of the project that this user may see. */
export function findSecret(
  db: Db,
  projectId: string,
  userId: string,
  id: string,
): Promise<SecretRow | undefined> {
  return db.row(find, [projectId, userId, id]);
}

/** The same, held until the transaction ends, so that two edits follow each other. */
export function lockSecret(
  db: Db,
  projectId: string,
  userId: string,
  id: string,
): Promise<SecretRow | undefined> {
  return db.row(lock, [projectId, userId, id]);
}

export type VisibleSecret = Pick<SecretRow, 'id' | 'name' | 'sharing' | 'ownerId'>;

/** Those of the project's secrets among these that are shared in the project or belong to the user. */
export function visibleSecrets(
  db: Db,
  projectId: string,
  userId: string,
  ids: readonly string[],
): Promise<VisibleSecret[]> {
  return db.rows(among, [projectId, userId, ids]);
}

/** The shared ones, or those of one owner: nobody uses up the room of others with what only he can see. */
export async function countSecrets(db: Db, projectId: string, ownerId: string | null): Promise<number> {
  return (await db.row(count, [projectId, ownerId]))?.count ?? 0;
}

export type NewSecret = Omit<SecretRow, 'lastDeliveredAt' | 'updatedBy' | 'createdAt' | 'updatedAt'>;

export async function insertSecret(db: Db, secret: NewSecret): Promise<SecretRow> {
  const { id, projectId, name, description, delivery, brokerHosts, brokerHeader, brokerTemplate } = secret;
  const { sharing, ownerId, sealedId, createdBy } = secret;
  const binding = [brokerHosts, brokerHeader, brokerTemplate];
  const values = [
    id,
    projectId,
    name,
    description,
    delivery,
    ...binding,
    sharing,
    ownerId,
    sealedId,
    createdBy,
  ];
  return (await db.row(insert, values)) as SecretRow;
}

export async function updateSecretRow(db: Db, secret: SecretRow): Promise<SecretRow> {
  const { id, projectId, description, delivery, brokerHosts, brokerHeader, brokerTemplate } = secret;
  const binding = [brokerHosts, brokerHeader, brokerTemplate];
  const values = [projectId, id, description, delivery, ...binding, secret.sealedId, secret.updatedBy];
  return (await db.row(update, values)) as SecretRow;
}

export async function deleteSecretRow(db: Db, projectId: string, id: string): Promise<void> {
  await db.run(remove, [projectId, id]);
}

/** All that a user owns, with the values. */
export async function deleteSecretsOf(db: Db, userId: string): Promise<void> {
  await db.run(removeOwned, [userId]);
}

export interface DeliveredRow
  extends Pick<
    SecretRow,
    'id' | 'name' | 'delivery' | 'brokerHosts' | 'brokerHeader' | 'brokerTemplate' | 'sharing' | 'sealedId'
  > {
  keyId: string;
  ciphertext: Buffer;
}

/** Those of the secrets that may be handed to something this user started, shared ones first. */
export function deliverSecretRows(
  db: Db,
  projectId: string,
  userId: string,
  ids: string[],
): Promise<DeliveredRow[]> {
  return db.rows(deliver, [projectId, userId, ids]);
}
