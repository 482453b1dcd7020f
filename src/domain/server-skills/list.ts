import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { mapYielding } from '../../platform/flow/yielding.ts';
import type { Verb } from '../context/verb.ts';
import { drainPages } from '../live/drain.ts';
import { fileKey } from './address.ts';
import { readEntry } from './entry.ts';
import { SkillRefused } from './refused.ts';
import { withSkills } from './visit.ts';

type Catalog = OutputOf<Operations['listServerSkills']>;

export const listServerSkills: Verb<'listServerSkills'> = (context, { serverId, body }) =>
  withSkills(context, body, async (conversation, support) => {
    if (!support.active) return { support, serverId, skills: [], duplicateUris: [], rejected: [] };
    const { items, first } = await drainPages(
      conversation,
      'skills/list',
      'skills',
      body.firstPageOnly ?? false,
    );
    const { ttlMs, cacheScope } = first;
    return {
      support,
      serverId,
      ...(await sorted(serverId, items)),
      ...(Number.isSafeInteger(ttlMs) && { ttlMs: ttlMs as number }),
      ...(typeof cacheScope === 'string' && { cacheScope }),
    };
  });

/** Sorts entries into valid skills, duplicate URIs and invalid entries. */
export async function sorted(
  serverId: string,
  items: readonly unknown[],
): Promise<Pick<Catalog, 'skills' | 'duplicateUris' | 'rejected'>> {
  const keyed = await mapYielding(items, (item) => ({ item, key: keyOf(item) }));
  const counts = new Map<string, number>();
  for (const { key } of keyed) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  const skills: Catalog['skills'] = [];
  const rejected: Catalog['rejected'] = [];
  await mapYielding(keyed, ({ item, key }) => {
    if ((counts.get(key ?? '') ?? 0) > 1) return;
    try {
      const { skillUri, name, description, frontmatter, files, unloadable } = readEntry(item);
      const resources = [...files.values()];
      skills.push({
        serverId,
        skillUri,
        name,
        description,
        resources,
        frontmatter,
        ...(unloadable && { unloadable }),
      });
    } catch (error) {
      if (!(error instanceof SkillRefused)) throw error;
      const { skillUri, message } = error.refusal;
      rejected.push({ ...(skillUri !== undefined && { skillUri }), reason: message });
    }
  });
  const duplicateUris = [...counts].flatMap(([key, count]) => (count > 1 ? [key] : []));
  return { skills, duplicateUris, rejected };
}

function keyOf(item: unknown): string | undefined {
  const uri = (item as { uri?: unknown } | null)?.uri;
  return typeof uri === 'string' ? (fileKey(uri) ?? uri) : undefined;
}
