import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { largestSuiteFile } from '../contract/eval-suite-files.ts';
import { plainWords } from '../contract/messages.ts';
import { parseYaml, type SourcePosition } from './parse.ts';
import { type Problem, problemsFound, SuiteFileProblem } from './problem.ts';
import { SuiteFile } from './suite-file.ts';

export interface ReadSuiteFile {
  file: SuiteFile;
  /** The SHA-256 of the bytes, in hex. */
  sourceHash: string;
  /** Positions by path of the parts that are validated against a project. */
  places: Record<string, SourcePosition>;
}

/** Reads a suite file in YAML or JSON. */
export function readSuiteFile(
  bytes: Uint8Array,
  { fileName = '' }: { fileName?: string } = {},
): ReadSuiteFile {
  const { value, placeOf } = parseYaml(textOf(bytes), fileName);
  const parsed = SuiteFile.safeParse(value, { error: (issue) => plainWords(issue, kinds) });
  if (!parsed.success)
    throw problemsFound(
      parsed.error.issues.flatMap((issue) =>
        told(issue).map(({ path, atKey, ...rest }): Problem => {
          return { ...placeOf(path, atKey), path: path.map(String).join('.'), ...rest };
        }),
      ),
    );
  const file = parsed.data;
  const place = (path: readonly PropertyKey[]): [string, SourcePosition] => [
    path.join('.'),
    placeOf(path, false),
  ];
  const { servers = [], hosts = [] } = file.target;
  const places = Object.fromEntries([
    place(['suite', 'id']),
    place(['target', 'environment']),
    ...Object.keys(file.servers ?? {}).map((name) => place(['servers', name])),
    ...servers.map((_, at) => place(['target', 'servers', at])),
    ...hosts.map((_, at) => place(['target', 'hosts', at])),
    ...file.cases.map((_, at) => place(['cases', at])),
  ]);
  if (file.cases.every(({ disabled }) => disabled === true)) {
    const problem = { path: 'cases', code: 'NO_ENABLED_CASES', message: 'Every case is disabled' };
    throw problemsFound([{ ...placeOf(['cases'], false), ...problem }]);
  }
  return { file, sourceHash: hashOf(bytes), places };
}

/** Reads the configuration of another tool, within the limits of a suite file. */
export function readConfiguration(
  bytes: Uint8Array,
  { fileName }: { fileName: string },
): { value: unknown; sourceHash: string } {
  return { value: parseYaml(textOf(bytes), fileName).value, sourceHash: hashOf(bytes) };
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length > largestSuiteFile)
    throw new SuiteFileProblem([
      at(1, 1, `A suite file is at most ${largestSuiteFile.toLocaleString('en')} bytes`),
    ]);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Invalid bytes decode as replacement characters, so the first one marks the error or is before it.
    const [before = ''] = new TextDecoder().decode(bytes).split('\ufffd', 1);
    const lines = before.split('\n');
    throw new SuiteFileProblem([
      at(lines.length, (lines.at(-1) ?? '').length + 1, 'The file is not valid UTF-8'),
    ]);
  }
}

function at(line: number, column: number, message: string): Problem {
  return { line, column, path: '', message };
}

interface Told {
  path: PropertyKey[];
  atKey: boolean;
  code?: string;
  message: string;
}

function told(issue: z.core.$ZodIssue): Told[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      atKey: true,
      message: `Unknown field ${JSON.stringify(key.slice(0, 100))}`,
    }));
  const message = (issue.code === 'invalid_key' && issue.issues[0]?.message) || issue.message;
  const code: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  return [{ path, atKey: false, ...(typeof code === 'string' && { code }), message }];
}

/** YAML terms. */
const kinds: Record<string, string> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  int: 'a whole number',
};
