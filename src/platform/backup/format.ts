import { z } from 'zod';

/**
 * A gzipped tar that is written and read sequentially: manifest, master key if requested, tables in pieces, blobs in
 * order of ID, and an end entry that proves the archive is complete.
 */
export const entries = {
  manifest: 'manifest.json',
  masterKey: 'master.key',
  end: 'end.json',
  piece: (table: string, number: number) => `tables/${table}/${String(number).padStart(6, '0')}.copy`,
  blob: (id: string) => `blobs/${id}`,
  blobId: (name = '') => /^blobs\/(.+)$/.exec(name)?.[1],
};

export const currentFormat = 1;

export const anyManifest = z.object({ format: z.number(), drydock: z.string() });

export const manifestSchema = z.object({
  format: z.literal(currentFormat),
  drydock: z.string(),
  createdAt: z.iso.datetime(),
  postgres: z.string(),
  migrations: z.array(z.string()).min(1),
  /** IDs of the master keys that decrypt the secrets in the archive. */
  vaultKeys: z.array(z.string()),
  /** In the order in which they are stored and loaded. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1) })),
});

export type Manifest = z.output<typeof manifestSchema>;
export type Table = Manifest['tables'][0];

export const endSchema = z.object({
  rows: z.record(z.string(), z.number().int()),
  blobs: z.number().int(),
  sequences: z.record(z.string(), z.number().int()),
});

export type End = z.output<typeof endSchema>;
