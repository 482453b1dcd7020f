import { bounds } from './bounds.ts';

/** An element of a widget, as steps of a case name it. */
export interface SnapshotElement {
  role?: { role: string; name: string };
  testId?: string;
  text?: string;
  /** Several elements match. */
  ambiguous?: boolean;
}

const maxElements = 200;
const line = /^\s*- '?([a-z]+)(?: ("(?:[^"\\]|\\.)*"))?[^:]*(?:: (.*?))?'?$/;
/** Roles of containers, or of elements that cannot be targeted usefully. */
const structure = new Set([
  'generic',
  'iframe',
  'document',
  'presentation',
  'none',
  'list',
  'table',
  'row',
  'rowgroup',
]);

/** The targetable elements of a widget, from its accessibility tree and test IDs. */
export function elementsOf(tree: string, testIds: readonly string[]): SnapshotElement[] {
  const found: SnapshotElement[] = [];
  for (const each of tree.split('\n')) {
    const [, role = '', quoted, text] = line.exec(each) ?? [];
    const name = quoted === undefined ? undefined : nameIn(quoted);
    if (name !== undefined && !structure.has(role)) found.push({ role: { role, name } });
    else if (text !== undefined && text.length <= 200) found.push({ text: text.replace(/^"(.*)"$/, '$1') });
  }
  found.push(...testIds.map((testId) => ({ testId })));
  const counts = new Map<string, number>();
  const keyOf = (element: SnapshotElement): string => JSON.stringify(element);
  for (const element of found) counts.set(keyOf(element), (counts.get(keyOf(element)) ?? 0) + 1);
  const seen = new Map(found.map((element) => [keyOf(element), element]));
  return [...seen]
    .slice(0, maxElements)
    .map(([key, element]) => ((counts.get(key) ?? 0) > 1 ? { ...element, ambiguous: true } : element));
}

function nameIn(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted)).slice(0, bounds.entry);
  } catch {
    return undefined;
  }
}
