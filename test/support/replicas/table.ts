import type { Attempt, Caller } from './caller.ts';
import type { Disturbance } from './disturb.ts';
import type { Notice } from './front.ts';
import type { Acknowledged } from './load.ts';

interface Shown {
  caller: Caller;
  disturbances: readonly Disturbance[];
  acknowledged: Acknowledged;
  notices: readonly Notice[];
  /** Errors of processes that did not start at once. */
  failedStarts: readonly string[];
  /** Failures, with the disturbance that excuses them. */
  excused: ReadonlyMap<Attempt, Disturbance | undefined>;
  began: number;
}

/** A readable report of the run. */
export function tableOf(shown: Shown): string {
  const { caller, acknowledged, disturbances, failedStarts, notices, excused, began } = shown;
  const kinds = [...new Set([...caller.calls.map(({ kind }) => kind), 'watch'])].filter(
    (kind) => kind !== 'prepare' && kind !== 'verify',
  );
  const disturbed = (from: number, to: number): boolean =>
    disturbances.some((one) => from <= one.over && to >= one.from);
  const rows = kinds.map((kind) => {
    const calls = caller.calls.filter((call) => call.kind === kind);
    const failed = caller.failures.filter((attempt) => attempt.kind === kind);
    const allowed = failed.filter((attempt) => excused.get(attempt)).length;
    const times = (when: boolean): string[] => {
      const took = calls
        .filter(({ from, to }) => disturbed(from, to) === when)
        .map(({ from, to }) => to - from);
      return [quantile(took, 0.5), quantile(took, 0.99), quantile(took, 1)];
    };
    const again = calls.filter(({ attempts }) => attempts > 1).length;
    return [
      kind,
      caller.sent[kind] ?? 0,
      again,
      allowed,
      failed.length - allowed,
      ...times(false),
      ...times(true),
    ];
  });
  const head = [
    'kind',
    'sent',
    'repeated',
    'failed, allowed',
    'not allowed',
    'calm p50',
    'p99',
    'max',
    'disturbed p50',
    'p99',
    'max',
  ];
  const done = disturbances.map((one) => [
    seconds(one.from - began),
    one.what,
    one.relay ? `${one.who} (held the tunnel)` : one.who,
    seconds(one.until - one.from),
    seconds(one.over - one.from),
    caller.failures.filter((attempt) => excused.get(attempt) === one).length,
  ]);
  const told = ['at, s', 'disturbance', 'whom', 'away, s', 'until as before, s', 'attempts failed'];
  const { runs, swarms, made, uploads, watched } = acknowledged;
  const resumed = watched.reduce((sum, one) => sum + one.resumed, 0);
  const summary = `${made.length} things made, ${uploads.size} uploads, ${runs.length} eval runs, ${swarms.length} swarms; ${watched.length} watchers, who came back ${resumed} times.`;
  const downs = notices.flatMap(({ at, text }) => {
    const [, why] = /^Server replicas\/(\w+ is DOWN, reason: [^.]*)/.exec(text) ?? [];
    return why === undefined ? [] : [`${seconds(at - began)} s: ${why}\n`];
  });
  const starts = failedStarts.map((why) => `A process started at the second try only: ${why}\n`).join('');
  return `\n${summary}\n\n${lined([head, ...rows])}\n\nTimes are milliseconds from the first attempt to the answer.\n\n${lined([told, ...done])}\n\nWhat HAProxy noticed:\n${downs.join('')}${starts}`;
}

function quantile(values: number[], which: number): string {
  if (values.length === 0) return '-';
  const sorted = values.toSorted((a, b) => a - b);
  return String(Math.round(sorted[Math.min(sorted.length - 1, Math.floor(which * sorted.length))] as number));
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function lined(rows: (string | number)[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => String(row[column]).length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => String(cell).padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
