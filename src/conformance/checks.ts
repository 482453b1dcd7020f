import type { Case, Group } from './report.ts';

const mostText = 2_000;

/** A check of ours. `problem`: what is wrong; left out, it passed. */
export function check(id: string, title: string, category: string, problem?: string): Case {
  const shown = { id: cut(id, 500), title: cut(title, mostText), category };
  return problem === undefined
    ? { ...shown, status: 'passed' }
    : { ...shown, status: 'failed', error: cut(problem, mostText) };
}

/** One that is not asked of this server, or that something was in the way of. */
export function skipped(
  id: string,
  title: string,
  category: string,
  skipReason: string,
  couldNotRun = false,
): Case {
  const reason = cut(skipReason, mostText);
  return {
    id: cut(id, 500),
    title: cut(title, mostText),
    category,
    status: 'skipped',
    skipReason: reason,
    couldNotRun,
  };
}

export function group(id: string, title: string, cases: Case[]): Group {
  const passed = cases.every(({ status }) => status !== 'failed');
  return { id: cut(id, 500), title: cut(title, mostText), passed, cases };
}

/** Names come from servers. */
export function quoted(text: unknown): string {
  return (
    JSON.stringify(typeof text === 'string' ? text.slice(0, 200).toWellFormed() : text)?.slice(0, 300) ??
    'nothing'
  );
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}
