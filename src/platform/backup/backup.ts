import { existsSync } from 'node:fs';
import type pg from 'pg';
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams';
import { OperatorProblem } from '../problem.ts';
import { version } from '../version.ts';
import { appliedMigrations, foreignKeys, quoted, savedTables, sequences } from './catalog.ts';
import { currentFormat, type End, entries, type Manifest, type Table } from './format.ts';
import {
  type Counts,
  type Installation,
  type Meter,
  meterFor,
  type ProgressOptions,
  withConnection,
} from './installation.ts';
import { keyText } from './keys.ts';
import { referredFirst } from './order.ts';
import { saveBlobs } from './save-blobs.ts';
import { ArchiveWriter } from './writer.ts';

/** Approximate size in bytes of one tar entry of a table. A tar entry needs its size in advance. */
const pieceSize = 4 * 1024 * 1024;

export interface BackupOptions extends ProgressOptions {
  force?: boolean;
  withMasterKey?: boolean;
}

/** Writes a consistent snapshot of the database and all blobs, while a running service continues. */
export async function writeBackup(
  installation: Installation,
  file: string,
  options: BackupOptions = {},
): Promise<Counts> {
  const { config, blobs } = installation;
  const { signal } = options;
  if (config.databaseUrl === undefined && !existsSync(config.dataDir))
    throw new OperatorProblem(`There is no data directory ${config.dataDir}. Set DRYDOCK_DATA_DIR`);
  const archive = await ArchiveWriter.create(file, options.force ?? false);
  try {
    const end = await withConnection(installation, { exclusive: false, signal }, async (client) => {
      const meter = meterFor(options);
      const manifest = await openSnapshot(client);
      await archive.addText(entries.manifest, JSON.stringify(manifest, null, 2));
      if (options.withMasterKey)
        await archive.addText(entries.masterKey, keyText(config, manifest.vaultKeys));
      const copies = new Map<string, CopyToStreamQuery>();
      for (const table of manifest.tables)
        copies.set(table.name, await saveTable(client, table, archive, meter));
      const saved = await saveBlobs(client, blobs, archive, meter);
      // COPY reports its row count after the rows; this query's answer guarantees that all counts have arrived.
      const last = await sequences(client);
      const rows = Object.fromEntries([...copies].map(([name, copy]) => [name, copy.rowCount]));
      return { rows, blobs: saved, sequences: last } satisfies End;
    });
    await archive.addText(entries.end, JSON.stringify(end, null, 2));
    const counts = Object.values(end.rows);
    return {
      tables: counts.length,
      rows: counts.reduce((sum, count) => sum + count, 0),
      blobs: end.blobs,
      bytes: await archive.finish(),
    };
  } catch (error) {
    await archive.abandon();
    throw signal?.aborted ? signal.reason : error;
  }
}

/** The first query fixes the snapshot that all later ones read. */
async function openSnapshot(client: pg.Client): Promise<Manifest> {
  await client.query('begin isolation level repeatable read read only');
  const migrations = await appliedMigrations(client);
  if (migrations.length === 0)
    throw new OperatorProblem(
      'The database has no data of Drydock. Check DRYDOCK_DATA_DIR and DRYDOCK_DATABASE_URL',
    );
  const tables = await savedTables(client);
  const names = tables.map((table) => table.name);
  // Blocks migrations until the backup is complete.
  await client.query(`lock table ${quoted(names)} in access share mode`);
  const order = referredFirst(names, await foreignKeys(client));
  const { rows } = await client.query<{ at: number; postgres: string }>(
    "select now() as at, current_setting('server_version') as postgres",
  );
  const { at, postgres } = rows[0] as (typeof rows)[0];
  const keys = await client.query<{ id: string }>('select id from vault_keys order by id');
  return {
    format: currentFormat,
    drydock: version,
    createdAt: new Date(at).toISOString(),
    postgres,
    migrations,
    vaultKeys: keys.rows.map((row) => row.id),
    tables: order.map((name) => tables.find((table) => table.name === name) as Table),
  };
}

async function saveTable(
  client: pg.Client,
  table: Table,
  archive: ArchiveWriter,
  meter: Meter,
): Promise<CopyToStreamQuery> {
  const copy = client.query(
    copyTo(`copy (select ${quoted(table.columns)} from ${quoted([table.name])}) to stdout`),
  );
  let number = 0;
  let piece: Buffer[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    await archive.add(entries.piece(table.name, ++number), size, piece);
    meter(table.name, size);
    piece = [];
    size = 0;
  };
  for await (const bytes of copy as AsyncIterable<Buffer>) {
    piece.push(bytes);
    size += bytes.length;
    if (size >= pieceSize) await flush();
  }
  if (size > 0) await flush();
  return copy;
}
