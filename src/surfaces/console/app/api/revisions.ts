import { useEffect, useSyncExternalStore } from 'react';

/** One state of a thing that was read here. */
interface Revision {
  number: number;
  at: number;
  value: unknown;
}

/**
 * The API tells how often a thing was written and answers with its last state. What this tab has read of the earlier ones
 * is kept while it is open, so that they can be compared.
 */
let seen: ReadonlyMap<string, readonly Revision[]> = new Map();
const listeners = new Set<() => void>();
const none: readonly Revision[] = [];
const mostKept = 30;

function noteRevision(id: string, revision: Revision): void {
  const before = seen.get(id) ?? none;
  if (before.some(({ number }) => number === revision.number)) return;
  const after = [...before, revision].toSorted((a, b) => b.number - a.number).slice(0, mostKept);
  seen = new Map([...seen, [id, after]]);
  for (const tell of listeners) tell();
}

/** Those that were seen, the newest first; the one that is shown is among them from then on. */
export function useRevisions(id: string, { number, at, value }: Revision): readonly Revision[] {
  useEffect(() => noteRevision(id, { number, at, value }), [id, number, at, value]);
  const all = useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => seen,
  );
  return all.get(id) ?? none;
}
