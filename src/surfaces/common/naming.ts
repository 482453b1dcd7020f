/** An object with a name or title. */
export interface Named {
  id: string;
  name?: string | null | undefined;
  title?: string | null | undefined;
}

const ownId = /^[a-z]{2,8}_[0-9a-z]{26}$/;
/** The ID of a journey session: its run, its target and its number there. */
const sessionId = /^synth_jrun_[0-9a-z]{26}_(?:env_)?[a-z]{2,8}_[0-9a-z]{26}_\d{1,3}$/;

/** Whether a text has the form of our IDs. Any other text may be a name. */
export function isId(wanted: string): boolean {
  return ownId.test(wanted) || sessionId.test(wanted);
}

export function nameOf({ name, title }: Named): string {
  return name ?? title ?? '';
}

/** Finds items by ID, otherwise by exact name, otherwise by name regardless of case and surrounding spaces. */
export function called<Item extends Named>(wanted: string, items: readonly Item[]): Item[] {
  const byId = items.find(({ id }) => id === wanted);
  if (byId) return [byId];
  const exactly = items.filter((item) => nameOf(item) === wanted);
  if (exactly.length > 0) return exactly;
  const plain = (text: string): string => text.trim().toLowerCase();
  return items.filter((item) => plain(nameOf(item)) === plain(wanted) && nameOf(item) !== '');
}

/** Maximum characters of a name that are compared, because the time grows with the square of the length. */
const maxCompared = 60;

/** Names by similarity, nearest first. `alike`: the difference is small enough for a typo. */
export function nearest(wanted: string, names: readonly string[]): { name: string; alike: boolean }[] {
  const asked = wanted.toLowerCase().slice(0, maxCompared);
  return [...new Set(names)]
    .map((name) => {
      const text = name.toLowerCase().slice(0, maxCompared);
      const changes = changesBetween(asked, text);
      return {
        name,
        changes,
        alike: changes <= Math.max(1, Math.floor(Math.max(text.length, asked.length) / 3)),
      };
    })
    .toSorted((a, b) => a.changes - b.changes)
    .map(({ name, alike }) => ({ name, alike }));
}

/** Number of letters added, left out, replaced or swapped. */
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
