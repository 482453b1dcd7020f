import type { z } from 'zod';
import { OperatorProblem } from '../../platform/problem.ts';
import { isStorable } from '../storable.ts';

/** What a JSON file of a bundle holds, if it is what it should be. */
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
    // The parser would quote the text, and there may be secrets in it.
    throw new OperatorProblem(`${file} is not JSON in UTF-8, without NUL`);
  }
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  throw new OperatorProblem(`${file}: ${firstIssue(read.error)}`);
}

/** Without the value, which may be a secret. */
export function firstIssue({ issues }: z.ZodError): string {
  const [outer] = issues;
  // What is wrong with a key is said one level down.
  const issue = outer?.code === 'invalid_key' ? { ...outer, message: outer.issues[0]?.message } : outer;
  const where = issue?.path.join('.') ?? '';
  return where === '' ? (issue?.message ?? '') : `${where}: ${issue?.message}`;
}
