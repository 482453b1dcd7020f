import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { OperatorProblem } from '../problem.ts';
import { copyTarget, type ForeignKey, foreignKeys, quoted, savedTables } from './catalog.ts';
import { entries, type Manifest } from './format.ts';
import type { Meter } from './installation.ts';
import { forward } from './order.ts';
import type { ArchiveReader } from './reader.ts';

export async function refuseData(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    'select 1 where exists (select from organizations) or exists (select from users)',
  );
  if (rows.length > 0)
    throw new OperatorProblem(
      'The database already contains organizations or users; a restore requires an empty one. Set DRYDOCK_DATA_DIR to a new folder, or DRYDOCK_DATABASE_URL to a new database',
    );
}

/**
 * Loads the rows unchanged: triggers are off, and foreign keys are checked at the end. Returns the row count of each
 * table.
 */
export async function loadTables(
  client: pg.Client,
  archive: ArchiveReader,
  { tables }: Manifest,
  meter: Meter,
): Promise<Map<string, number>> {
  const ours = await clearTables(client, archive, tables);
  const order = tables.map((table) => table.name);
  const early = forward(order, await foreignKeys(client)).filter((key) => !key.deferrable);
  for (const name of ours) await client.query(`alter table ${quoted([name])} disable trigger user`);
  for (const key of early) await client.query(`${alterKey(key)} deferrable`);
  await client.query('set constraints all deferred');
  const counts = new Map<string, number>();
  for (const table of tables) {
    const rows = rowsOf(archive, table.name, meter);
    if (ours.has(table.name)) {
      const copy = client.query(copyFrom(`copy ${copyTarget(table)} from stdin`));
      await pipeline(rows, copy);
      counts.set(table.name, copy.rowCount);
    } else for await (const _ of rows);
  }
  await client.query('set constraints all immediate');
  for (const key of early) await client.query(`${alterKey(key)} not deferrable`);
  for (const name of ours) await client.query(`alter table ${quoted([name])} enable trigger user`);
  return counts;
}

/** Removes the rows that migrations inserted, and locks the tables until the transaction ends. */
async function clearTables(
  client: pg.Client,
  archive: ArchiveReader,
  saved: Manifest['tables'],
): Promise<Set<string>> {
  await client.query('lock table organizations, users in access exclusive mode');
  await refuseData(client);
  const columnsOf = new Map(saved.map((table) => [table.name, table.columns.toSorted().join()]));
  if (columnsOf.size < saved.length) throw archive.damaged('it has a table twice');
  const ours = await savedTables(client);
  for (const { name, columns } of ours) {
    const expected = columnsOf.get(name);
    if (expected === undefined)
      throw new OperatorProblem(
        `The database has a table ${name} and the backup has none. Set DRYDOCK_DATABASE_URL to an empty database`,
      );
    if (expected !== columns.toSorted().join()) throw archive.damaged(`its table ${name} has other columns`);
  }
  const names = ours.map((table) => table.name);
  await client.query(`truncate ${quoted(names)}`);
  return new Set(names);
}

function alterKey(key: ForeignKey): string {
  return `alter table ${quoted([key.from])} alter constraint ${quoted([key.name])}`;
}

async function* rowsOf(archive: ArchiveReader, table: string, meter: Meter): AsyncGenerator<Buffer> {
  for (let number = 1; archive.name === entries.piece(table, number); number++) {
    yield* archive.content();
    meter(table, archive.size);
    await archive.advance();
  }
}
