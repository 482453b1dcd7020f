import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('durations.json', import.meta.url));

/** Seconds by test file, relative to the root, for each value of `--tags-filter`: the lanes run different tests of a file. */
type Durations = Record<string, Record<string, number>>;

function read(): Durations {
  return JSON.parse(readFileSync(path, 'utf8')) as Durations;
}

export function laneOf(tagsFilter: string[] | undefined): string {
  return tagsFilter?.join(' and ') ?? 'everything';
}

/** Seconds by file as last recorded for the lane; for a run without a filter, the sum of the lanes. */
export function recordedDurations(lane: string): Map<string, number> {
  const durations = read();
  const lanes = durations[lane] ? [durations[lane]] : Object.values(durations);
  const sum = new Map<string, number>();
  for (const [file, seconds] of lanes.flatMap((each) => Object.entries(each)))
    sum.set(file, (sum.get(file) ?? 0) + seconds);
  return sum;
}

/** Merges what a run took into the record of its lane; files that are gone are dropped. */
export function recordDurations(
  lane: string,
  root: string,
  seconds: [file: string, seconds: number][],
): void {
  const durations = read();
  const known = Object.entries(durations[lane] ?? {}).filter(([file]) => existsSync(join(root, file)));
  const rounded = seconds.map(([file, one]): [string, number] => [file, Math.round(one * 10) / 10]);
  const merged = Object.entries(Object.fromEntries([...known, ...rounded]));
  durations[lane] = Object.fromEntries(merged.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(path, `${JSON.stringify(durations, null, 2)}\n`);
}
