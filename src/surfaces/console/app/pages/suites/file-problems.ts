import { DrydockError } from '../../../../client/index.ts';

export interface FileProblem {
  line: number;
  column: number;
  path: string;
  message: string;
}

/** The problems of a refused file. */
export function problemsIn(error: unknown): { problems: FileProblem[]; more: number } | undefined {
  if (!(error instanceof DrydockError) || !Array.isArray(error.details['problems'])) return undefined;
  const problems = (error.details['problems'] as Partial<FileProblem>[]).map(
    ({ line = 1, column = 1, path = '', message = '' }) => ({ line, column, path, message }),
  );
  return { problems, more: Number(error.details['more'] ?? 0) };
}

/** Whether the only thing wrong is the id it was sent under, which was wrong on purpose. */
export function isOtherwiseFine(error: unknown): boolean {
  return error instanceof DrydockError && error.details['reason'] === 'SUITE_ID_MISMATCH';
}

/** `suite.id` of a file, as far as it can be told without reading all of YAML: what it is sent under. */
export function declaredIdIn(text: string): string | undefined {
  const json = /^\s*\{/.test(text) ? idInJson(text) : undefined;
  if (json !== undefined) return json;
  const inline = /^suite:\s*\{[^\n}]*?\bid:\s*["']?([\w-]+)/m.exec(text)?.[1];
  if (inline !== undefined) return inline;
  const block = /^suite:[ \t]*(?:#.*)?\r?\n((?:[ \t]+.*(?:\r?\n|$)|[ \t]*\r?\n)*)/m.exec(text)?.[1] ?? '';
  return /^[ \t]+id:[ \t]*["']?([\w-]+)/m.exec(block)?.[1];
}

function idInJson(text: string): string | undefined {
  try {
    const id = (JSON.parse(text) as { suite?: { id?: unknown } }).suite?.id;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Where a line begins in a text, and where it ends. */
export function spanOfLine(text: string, line: number): [start: number, end: number] {
  const before = text.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, one) => sum + one.length + 1, 0);
  const end = text.indexOf('\n', start);
  return [Math.min(start, text.length), end < 0 ? text.length : end];
}
