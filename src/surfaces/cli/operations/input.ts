import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { Flag } from './flags.ts';
import { optionKey } from './names.ts';

export type Fields = Record<string, unknown>;

/** The body: what `--data` says, with the flags put into it. */
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

/** What the flags of one place say. */
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

/** One after the other, or one JSON array. */
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
      if (at < 1) throw new OperatorProblem(`--${flag} takes key=value, again for each, or one JSON object`);
      return [value.slice(0, at), value.slice(at + 1)];
    }),
  );
}

/** JSON as it stands, from `@file`, or from the standard input. */
async function jsonFrom(flag: string, text: string): Promise<unknown> {
  const source =
    text === '-' || text === '@-'
      ? await standardInput()
      : text.startsWith('@')
        ? await fileText(text.slice(1))
        : text;
  try {
    return JSON.parse(source) as unknown;
  } catch (error) {
    // The message of the parser may show a piece of the text, which may be secret.
    const where = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new OperatorProblem(
      `--${flag} is not JSON${where === undefined ? '' : `, from character ${Number(where) + 1} on`}${/^[[{"]/.test(source.trim()) ? '' : '. Text is written in quotes: \'"text"\''}`,
    );
  }
}

async function standardInput(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Type JSON, then Ctrl-D:\n');
  return (await buffer(process.stdin)).toString('utf8');
}

async function fileText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorProblem(
      error.code === 'ENOENT' ? `There is no file ${path}` : `Cannot read ${path}: ${error.message}`,
    );
  });
}

/** A file, or the standard input, as it is read. */
export function bytesFrom(path: string | undefined): NodeJS.ReadableStream {
  return path === undefined || path === '-' ? process.stdin : createReadStream(path);
}
