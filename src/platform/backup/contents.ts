import type { z } from 'zod';
import type { Migration } from '../database/migrations/index.ts';
import { OperatorProblem } from '../problem.ts';
import { type KeyRing, parseKeys } from '../secrets/master-key.ts';
import {
  anyManifest,
  currentFormat,
  type End,
  endSchema,
  entries,
  type Manifest,
  manifestSchema,
} from './format.ts';
import type { ArchiveReader } from './reader.ts';

export async function readManifest(archive: ArchiveReader): Promise<Manifest> {
  await archive.advance();
  if (archive.name !== entries.manifest) throw archive.damaged('it has no manifest');
  const text = await archive.text();
  const { format, drydock } = parse(anyManifest, text, archive);
  if (format > currentFormat) throw newer(archive, drydock, `format ${format}`);
  archive.recognise();
  const manifest = parse(manifestSchema, text, archive);
  await archive.advance();
  return manifest;
}

/** The migrations that created the schema of the archive. */
export function schemaOf(
  manifest: Manifest,
  known: readonly Migration[],
  archive: ArchiveReader,
): readonly Migration[] {
  const unknown = manifest.migrations.find((name) => !known.some((migration) => migration.name === name));
  if (unknown !== undefined) throw newer(archive, manifest.drydock, `migration ${unknown}`);
  const schema = known.slice(0, manifest.migrations.length);
  if (schema.map((migration) => migration.name).join() !== manifest.migrations.join())
    throw archive.damaged('its migrations are out of order');
  return schema;
}

/** The master key, if the archive contains one. */
export async function readKeys(archive: ArchiveReader): Promise<KeyRing | undefined> {
  if (archive.name !== entries.masterKey) return undefined;
  const text = await archive.text();
  await archive.advance();
  try {
    return parseKeys(text, entries.masterKey);
  } catch {
    throw archive.damaged('its master key is invalid');
  }
}

/** Checks that everything in the manifest has been read and that the archive ends with the right checksum. */
export async function readEnd(
  archive: ArchiveReader,
  rows: ReadonlyMap<string, number>,
  blobs: number,
): Promise<End> {
  if (archive.name !== entries.end) throw archive.damaged(`${archive.name ?? 'its end'} is out of place`);
  const end = parse(endSchema, await archive.text(), archive);
  for (const [table, count] of rows)
    if (end.rows[table] !== count)
      throw archive.damaged(`table ${table} has ${count} rows instead of ${end.rows[table]}`);
  if (blobs !== end.blobs || blobs !== rows.get('blobs'))
    throw archive.damaged(`it has ${blobs} blobs instead of ${rows.get('blobs')}`);
  await archive.advance();
  if (archive.name !== undefined) throw archive.damaged(`${archive.name} follows its end`);
  return end;
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  archive: ArchiveReader,
): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw archive.damaged(`its ${archive.name} makes no sense`);
  }
}

function newer(archive: ArchiveReader, version: string, sign: string): OperatorProblem {
  return new OperatorProblem(
    `${archive.file} was made by a newer Drydock (${version}, ${sign}). Restore it with that version or a later one`,
  );
}
