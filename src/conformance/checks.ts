import type { Case, Group } from './report.ts';

const maxText = 2_000;

/** The result of a check. Passed unless there is a `problem`. */
export function check(id: string, title: string, category: string, problem?: string): Case {
  const shown = { id: cut(id, 500), title: cut(title, maxText), category };
  return problem === undefined
    ? { ...shown, status: 'passed' }
    : { ...shown, status: 'failed', error: cut(problem, maxText) };
}

/** A check that does not apply to the server, or could not run. */
export function skipped(
  id: string,
  title: string,
  category: string,
  skipReason: string,
  couldNotRun = false,
): Case {
  const reason = cut(skipReason, maxText);
  return {
    id: cut(id, 500),
    title: cut(title, maxText),
    category,
    status: 'skipped',
    skipReason: reason,
    couldNotRun,
  };
}

export function group(id: string, title: string, cases: Case[]): Group {
  const passed = cases.every(({ status }) => status !== 'failed');
  return { id: cut(id, 500), title: cut(title, maxText), passed, cases };
}

/** Quotes a name from a server. */
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
