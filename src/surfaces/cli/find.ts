import { OperatorProblem } from '../../platform/problem.ts';
import { oneLine } from './screen/text.ts';

export interface Findable {
  id: string;
  name?: string | null | undefined;
  title?: string | null | undefined;
}

/** Ids of ours say what they are; anything else may be a name. */
export function isId(wanted: string): boolean {
  return /^[a-z]{2,8}_[0-9a-z]{26}$/.test(wanted);
}

/** The one with this id or name, in any case of letters; otherwise the nearest names are said. */
export function theOne<Item extends Findable>(what: string, wanted: string, items: readonly Item[]): Item {
  const byId = items.find(({ id }) => id === wanted);
  if (byId) return byId;
  const called = (same: (name: string) => boolean): Item[] => items.filter((item) => same(nameOf(item)));
  const exactly = called((name) => name === wanted);
  const roughly = called((name) => name.toLowerCase() === wanted.toLowerCase());
  const found = exactly.length > 0 ? exactly : roughly;
  const [first] = found;
  if (first && found.length === 1) return first;
  const said = oneLine(wanted, 100);
  if (first)
    throw new OperatorProblem(
      `Several of the ${plural(what)} are called ${said}; use the id: ${listed(found)}`,
    );
  if (items.length === 0) throw new OperatorProblem(`No ${what} ${said}. There is none yet`);
  const near = nearest(wanted, items.map(nameOf));
  throw new OperatorProblem(
    near === undefined
      ? `No ${what} ${said}. There ${items.length === 1 ? 'is' : 'are'}: ${listed(items)}`
      : `No ${what} ${said}. Did you mean ${oneLine(near, 100)}?`,
  );
}

function plural(what: string): string {
  return what.endsWith('s') ? what : `${what}s`;
}

function nameOf({ name, title }: Findable): string {
  return name ?? title ?? '';
}

function listed(items: readonly Findable[]): string {
  const shown = items
    .slice(0, 10)
    .map((item) => `${oneLine(nameOf(item), 60) || 'without a name'} (${oneLine(item.id, 60)})`);
  return [...shown, ...(items.length > 10 ? [`and ${items.length - 10} more`] : [])].join(', ');
}

/** The name that takes fewest changes, if few enough: a third of its letters. Long ones are not compared: it takes long. */
function nearest(wanted: string, names: readonly string[]): string | undefined {
  const few = (name: string): number => Math.max(1, Math.floor(name.length / 3));
  const [best] = names
    .filter((name) => name.length <= 60 && Math.abs(name.length - wanted.length) <= few(name))
    .map((name) => ({ name, changes: changesBetween(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, changes }) => changes <= few(name))
    .toSorted((a, b) => a.changes - b.changes);
  return best?.name;
}

/** Letters added, left out, replaced or swapped. */
function changesBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + (same ? 0 : 1),
        swapped ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return row[b.length] as number;
}
