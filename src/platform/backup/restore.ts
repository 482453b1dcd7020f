import { stat } from 'node:fs/promises';
import pg from 'pg';
import { migrate } from '../database/migrate.ts';
import { type Migration, migrations } from '../database/migrations/index.ts';
import { OperatorProblem } from '../problem.ts';
import { appliedMigrations, quoted, savedTables, setSequences } from './catalog.ts';
import { readEnd, readKeys, readManifest, schemaOf } from './contents.ts';
import type { Manifest } from './format.ts';
import {
  type Counts,
  type Installation,
  meterFor,
  type ProgressOptions,
  withConnection,
} from './installation.ts';
import { type KeyPlan, planKeys } from './keys.ts';
import { BlobLoad } from './load-blobs.ts';
import { loadTables, refuseData } from './load-tables.ts';
import { ArchiveReader } from './reader.ts';

export interface RestoreOptions extends ProgressOptions {
  /** The migrations of this version. */
  known?: readonly Migration[];
}

export interface Restored extends Counts {
  /** The version that created the archive, and when. */
  drydock: string;
  createdAt: string;
  warnings: string[];
}

/** Restores an archive into an empty database and the blob store. If loading fails, neither keeps its data. */
export async function restoreBackup(
  installation: Installation,
  file: string,
  options: RestoreOptions = {},
): Promise<Restored> {
  const { signal, known = migrations } = options;
  const archive = new ArchiveReader(file);
  const stop = (): void => void archive.close();
  signal?.addEventListener('abort', stop);
  try {
    const manifest = await readManifest(archive);
    const schema = schemaOf(manifest, known, archive);
    const packed = await readKeys(archive);
    const done = await withConnection(installation, { exclusive: true, signal }, async (client) => {
      await refuseUsed(client, schema);
      const keys = planKeys(installation.config, manifest.vaultKeys, packed);
      await createSchema(client, schema);
      const rows = await load(client, archive, manifest, keys, installation, options);
      await migrate(client, known);
      // Without statistics the first queries would get poor plans.
      await client.query(`analyze ${quoted((await savedTables(client)).map((table) => table.name))}`);
      return summary(manifest, rows, keys);
    });
    return { ...done, bytes: (await stat(file)).size };
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', stop);
    await archive.close();
  }
}

async function refuseUsed(client: pg.Client, schema: readonly Migration[]): Promise<void> {
  const there = await appliedMigrations(client);
  if (there.length > 0) await refuseData(client);
  const [stranger] = there.length > 0 ? [] : await savedTables(client);
  if (stranger)
    throw new OperatorProblem(
      `The database contains tables of another application (${stranger.name}). Set DRYDOCK_DATABASE_URL to an empty database`,
    );
  if (there.length > schema.length)
    throw new OperatorProblem(
      `The database is empty but of a later version than the backup (migration ${there[schema.length]}). Set DRYDOCK_DATA_DIR to a new folder, or DRYDOCK_DATABASE_URL to a new database`,
    );
}

async function createSchema(client: pg.Client, schema: readonly Migration[]): Promise<void> {
  try {
    await migrate(client, schema);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw new OperatorProblem(
      `The schema cannot be created: ${error.message}. Set DRYDOCK_DATABASE_URL to an empty database`,
    );
  }
}

/** Loads all rows in one transaction. Returns the row count of each table. */
async function load(
  client: pg.Client,
  archive: ArchiveReader,
  manifest: Manifest,
  keys: KeyPlan,
  installation: Installation,
  options: RestoreOptions,
): Promise<Map<string, number>> {
  const blobs = new BlobLoad(installation.blobs);
  const meter = meterFor(options);
  let rows: Map<string, number>;
  try {
    await client.query('begin');
    rows = await loadTables(client, archive, manifest, meter);
    const end = await readEnd(archive, rows, await blobs.run(client, archive, meter));
    await setSequences(client, end.sequences);
    await keys.place();
  } catch (error) {
    await client.query('rollback').catch(() => {});
    await blobs.takeBack();
    throw explain(error, archive);
  }
  // If the answer to the commit is lost, the rows may exist and need their blobs.
  await client.query('commit');
  return rows;
}

function explain(error: unknown, archive: ArchiveReader): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  // Class 22: invalid value. Class 23: constraint violation.
  if (/^2[23]/.test(error.code ?? '')) return archive.damaged(error.message);
  return new OperatorProblem(`PostgreSQL rejected the backup: ${error.message}`);
}

function summary(manifest: Manifest, rows: Map<string, number>, keys: KeyPlan): Omit<Restored, 'bytes'> {
  const strange = manifest.tables.map((table) => table.name).filter((name) => !rows.has(name));
  const warnings = keys.warning === undefined ? [] : [keys.warning];
  if (strange.length > 0)
    warnings.push(`Tables skipped because this version of Drydock does not have them: ${strange.join(', ')}`);
  return {
    tables: rows.size,
    rows: [...rows.values()].reduce((sum, count) => sum + count, 0),
    blobs: rows.get('blobs') ?? 0,
    drydock: manifest.drydock,
    createdAt: manifest.createdAt,
    warnings,
  };
}
