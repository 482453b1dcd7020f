import { createHash } from 'node:crypto';
import { canonicalJson } from '../../platform/canonical.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import { mapYielding } from '../../platform/flow/yielding.ts';
import type { ProjectContext } from '../context/context.ts';
import { hashOf, type Result } from './header.ts';

/** A result with the hash that identifies it when repeated. */
export interface Recognized {
  result: Result;
  contentHash: string;
  /** IDs of artifacts it mentions. */
  artifacts: string[];
}

const artifactId = /(?<=")blob_[a-z0-9]{10,60}(?=")/g;

/** Hashes artifacts by content instead of ID: a repeated report has uploaded them again under other IDs. */
export async function recognize(
  { db, project }: Pick<ProjectContext, 'db' | 'project'>,
  results: readonly Result[],
): Promise<Recognized[]> {
  const texts = await mapYielding(results, canonicalJson);
  // Most results mention no artifact; a substring test is faster than the pattern.
  const named = texts.map((text) => (text.includes('"blob_') ? (text.match(artifactId) ?? []) : []));
  const ids = [...new Set(named.flat())];
  const rows = ids.length === 0 ? [] : await db.rows(blobRows.digests, { projectId: project.id, ids });
  const digests = new Map(rows.map(({ id, sha256 }) => [id, sha256]));
  return results.map((result, at) => {
    const own = named[at] ?? [];
    const text = texts[at] ?? '';
    const byContent = own.length === 0 ? text : text.replaceAll(artifactId, (id) => digests.get(id) ?? id);
    const contentHash = createHash('sha256').update(byContent).digest('hex');
    return { result, contentHash, artifacts: own.filter((id) => digests.has(id)) };
  });
}

/** Hash of a whole run. */
export function requestHashOf(header: object, results: readonly Recognized[]): string {
  return hashOf([header, results.map(({ contentHash }) => contentHash)]);
}
