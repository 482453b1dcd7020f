import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { OperatorProblem } from '../../../platform/problem.ts';
import { readNamed } from '../files.ts';
import type { Flag } from './flags.ts';
import { optionKey } from './names.ts';

export type Fields = Record<string, unknown>;

/** The body: the JSON of `--data`, overridden by flags. */
export async function bodyFrom(
  data: string | undefined,
  flags: readonly Flag[],
  options: Fields,
): Promise<Fields> {
  const body = data === undefined ? {} : await jsonFrom('data', data);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new OperatorProblem('--data must be a JSON object');
  return { ...body, ...(await fieldsFrom('body', flags, options)) };
}

/** The values of the flags of one place. */
export async function fieldsFrom(
  place: Flag['place'],
  flags: readonly Flag[],
  options: Fields,
): Promise<Fields> {
  const fields: Fields = {};
  for (const flag of flags) {
    const value = flag.place === place ? options[optionKey(flag.flag)] : undefined;
    if (value !== undefined) fields[flag.field] = await valueOf(flag, value);
  }
  return fields;
}

async function valueOf({ flag, kind }: Flag, value: unknown): Promise<unknown> {
  if (kind === 'json') return jsonFrom(flag, value as string);
  if (kind === 'map') return mapFrom(flag, value as string[]);
  if (kind === 'list') return listFrom(flag, value as string[]);
  return value;
}

/** Repeated values, or one JSON array. */
async function listFrom(flag: string, values: string[]): Promise<unknown> {
  const [only] = values;
  return values.length === 1 && only?.trimStart().startsWith('[') ? jsonFrom(flag, only) : values;
}

async function mapFrom(flag: string, values: string[]): Promise<unknown> {
  const [only] = values;
  if (values.length === 1 && only !== undefined && /^\s*\{|^@/.test(only)) return jsonFrom(flag, only);
  return Object.fromEntries(
    values.map((value) => {
      const at = value.indexOf('=');
      if (at < 1) throw new OperatorProblem(`--${flag} takes key=value (repeatable) or one JSON object`);
      return [value.slice(0, at), value.slice(at + 1)];
    }),
  );
}

/** JSON given inline, as `@file`, or on the standard input. */
async function jsonFrom(flag: string, text: string): Promise<unknown> {
  const source =
    text === '-' || text === '@-'
      ? await standardInput()
      : text.startsWith('@')
        ? new TextDecoder().decode(await readNamed(text.slice(1)))
        : text;
  try {
    return JSON.parse(source) as unknown;
  } catch (error) {
    // The message of the parser may quote the text, which may be secret.
    const where = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new OperatorProblem(
      `--${flag} is not valid JSON${where === undefined ? '' : ` at character ${Number(where) + 1}`}${/^[[{"]/.test(source.trim()) ? '' : '. Quote strings: \'"text"\''}`,
    );
  }
}

async function standardInput(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Enter JSON, then press Ctrl-D:\n');
  return (await buffer(process.stdin)).toString('utf8');
}

export function bytesFrom(path: string | undefined): NodeJS.ReadableStream {
  return path === undefined || path === '-' ? process.stdin : createReadStream(path);
}
