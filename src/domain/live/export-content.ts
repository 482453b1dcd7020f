import { createHash } from 'node:crypto';
import { byCodeUnit, sortKeys } from '../../platform/canonical.ts';
import { mapYielding } from '../../platform/flow/yielding.ts';
import { jsonSlices } from '../../platform/json/slices.ts';
import { type ListName, lists } from './drain.ts';

type Json = Record<string, unknown>;

type Exported = Record<ListName, readonly unknown[]> & {
  server?: Json | null | undefined;
  protocolVersion?: string | null | undefined;
  instructions?: string | null | undefined;
  capabilities?: Json | null | undefined;
};

/** Canonical content of an export and its hash, independent of the order the server lists items in. */
export async function contentOf(exported: Exported) {
  const all = (name: ListName): Promise<Json[]> => ordered(exported[name], lists[name].names);
  // Keys in sorted order; the lists are sorted already.
  const content = {
    capabilities: sortKeys(exported.capabilities ?? {}) as Json,
    instructions: exported.instructions ?? null,
    prompts: await all('prompts'),
    protocolVersion: exported.protocolVersion ?? null,
    resourceTemplates: await all('resourceTemplates'),
    resources: await all('resources'),
    server: sortKeys(exported.server ?? null) as Json | null,
    tools: await all('tools'),
  };
  return { content, contentHash: `sha256:${await hashOf(content)}` };
}

export type ExportContent = Awaited<ReturnType<typeof contentOf>>['content'];

async function hashOf(content: unknown): Promise<string> {
  const hash = createHash('sha256');
  for await (const slice of jsonSlices(content)) hash.update(slice);
  return hash.digest('hex');
}

/** Sorts by name, then by content: servers may list items in any order, and reuse names. */
async function ordered(items: readonly unknown[], by: string): Promise<Json[]> {
  const keyed = await mapYielding(items, (listed) => {
    const item = sortKeys(listed) as Json;
    return { item, name: nameIn(item, by), text: JSON.stringify(item) };
  });
  keyed.sort((a, b) => byCodeUnit(a.name, b.name) || byCodeUnit(a.text, b.text));
  return keyed.map(({ item }) => item);
}

/** A broken server may list anything. */
function nameIn(item: Json | null, by: string): string {
  const name = item?.[by];
  return typeof name === 'string' ? name : '';
}
