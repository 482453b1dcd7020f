import type { z } from 'zod';
import { isStorable } from '../../platform/json/storable.ts';
import { OperatorProblem } from '../../platform/problem.ts';

/** Parses and validates a JSON file of a bundle. */
export function readJsonFile<Schema extends z.ZodType>(
  file: string,
  bytes: Buffer,
  schema: Schema,
): z.output<Schema> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), (key, value: unknown) => {
      if (!isStorable(key) || (typeof value === 'string' && !isStorable(value))) throw new SyntaxError();
      return value;
    });
  } catch {
    // Does not quote the parser's message, which may contain secrets of the file.
    throw new OperatorProblem(`${file} must be JSON in UTF-8 without NUL characters`);
  }
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  throw new OperatorProblem(`${file}: ${firstIssue(read.error)}`);
}

/** Omits the value, which may be a secret. */
export function firstIssue({ issues }: z.ZodError): string {
  const [outer] = issues;
  // For an invalid key, the reason is in the nested issue.
  const issue = outer?.code === 'invalid_key' ? { ...outer, message: outer.issues[0]?.message } : outer;
  const where = issue?.path.join('.') ?? '';
  return where === '' ? (issue?.message ?? '') : `${where}: ${issue?.message}`;
}
