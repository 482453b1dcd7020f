import { useEffect } from 'react';
import { personalStoreOf } from '../kit/store.ts';

/** A loaded revision of a resource. */
interface Revision {
  number: number;
  at: number;
  value: unknown;
}

/**
 * Revisions that this tab has loaded, kept so that they can be compared: the API returns only the latest state
 * and its revision number.
 */
const seen = personalStoreOf<ReadonlyMap<string, readonly Revision[]>>(new Map());
const none: readonly Revision[] = [];
const maxKept = 30;

function noteRevision(id: string, revision: Revision): void {
  const before = seen.get().get(id) ?? none;
  if (before.some(({ number }) => number === revision.number)) return;
  const after = [...before, revision].toSorted((a, b) => b.number - a.number).slice(0, maxKept);
  seen.set(new Map([...seen.get(), [id, after]]));
}

/** Loaded revisions, newest first, including the current one. */
export function useRevisions(id: string, { number, at, value }: Revision): readonly Revision[] {
  useEffect(() => noteRevision(id, { number, at, value }), [id, number, at, value]);
  return seen.use().get(id) ?? none;
}
