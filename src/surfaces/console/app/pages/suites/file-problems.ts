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

/** Whether the only problem is the ID, which is mismatched on purpose. */
export function hasOnlyIdMismatch(error: unknown): boolean {
  return error instanceof DrydockError && error.details['reason'] === 'SUITE_ID_MISMATCH';
}

/** `suite.id` of a file, found without parsing all of the YAML. The file is sent under this ID. */
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

/** Start and end offset of a line. */
export function spanOfLine(text: string, line: number): [start: number, end: number] {
  const before = text.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, one) => sum + one.length + 1, 0);
  const end = text.indexOf('\n', start);
  return [Math.min(start, text.length), end < 0 ? text.length : end];
}
