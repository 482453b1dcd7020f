import type { Callable } from '../../../client/callable.ts';
import { textOf } from '../kit/text.ts';
import type { CommandFacts } from './commands.ts';

type Given = Record<string, unknown>;

/** A call of an operation: path and query parameters at the top level, the body under `body`. */
export interface Call {
  operation: Pick<Callable, 'id' | 'method' | 'path' | 'params' | 'sends' | 'answers'>;
  facts: CommandFacts;
  input: Given;
}

/** A curl command that reads the API key from an environment variable. */
export function asCurl({ operation, input }: Call, origin: string): string {
  const { method, path, params, sends, answers } = operation;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input))
    if (name !== 'body' && name !== 'upload' && value !== undefined && !params.includes(name))
      query.set(name, textOf(value));
  const url = `${origin}/api/v1${filled}${query.size > 0 ? `?${query.toString()}` : ''}`;
  return lines([
    `curl${answers === 'events' ? ' -N' : ''} ${quoted(url)}`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $DRYDOCK_API_KEY"',
    ...(sends === 'json' ? [`-H 'Content-Type: application/json'`] : []),
    ...(sends === 'json' ? [`-d ${quoted(JSON.stringify(input['body'] ?? {}))}`] : []),
    ...(sends === 'bytes' ? [`-H 'Content-Type: ${typeOfBytes(input)}'`, '--data-binary @FILE'] : []),
  ]);
}

function typeOfBytes({ upload }: Given): string {
  const { type, contentType } = (upload ?? {}) as { type?: string; contentType?: string };
  return contentType ?? type ?? 'application/octet-stream';
}

/** A drydock command. */
export function asCommand({ operation, facts, input }: Call): string {
  const { command, params, project, flags } = facts;
  const { body, projectId, upload: _, ...rest } = input;
  const fields = Object.entries({ ...rest, ...(body as Given | undefined) }).filter(
    ([name, value]) => value !== undefined && !params.includes(name),
  );
  const known = fields.filter(([name]) => flags[name]);
  const unknown = Object.fromEntries(
    fields.filter(([name]) => !flags[name] && name in ((body as Given) ?? {})),
  );
  return lines([
    ['drydock', command, ...params.map((name) => quoted(String(input[name])))].join(' '),
    ...(project && projectId !== undefined ? [`--project ${quoted(textOf(projectId))}`] : []),
    ...known.flatMap(([name, value]) => flagOf(flags[name] as CommandFacts['flags'][string], value)),
    ...(Object.keys(unknown).length > 0 ? [`--data ${quoted(JSON.stringify(unknown))}`] : []),
    ...(operation.sends === 'bytes' ? ['--file FILE', `--content-type ${typeOfBytes(input)}`] : []),
  ]);
}

function flagOf({ flag, kind }: CommandFacts['flags'][string], value: unknown): string[] {
  if (kind === 'boolean') return [value === false || value === 'false' ? `--no-${flag}` : `--${flag}`];
  if (kind === 'list' && Array.isArray(value)) return value.map((one) => `--${flag} ${quoted(String(one))}`);
  const text = kind === 'json' || kind === 'map' ? JSON.stringify(value) : String(value);
  return [`--${flag} ${quoted(text)}`];
}

/** Arguments of `tools/call` at our MCP endpoint. */
export function asMcp({ operation, facts, input }: Call): string {
  const name = facts.safe ? 'read_operation' : 'write_operation';
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  if (operation.sends === 'bytes') given['upload'] = { text: '…', contentType: typeOfBytes(input) };
  return JSON.stringify({ name, arguments: { operation: operation.id, arguments: given } }, null, 2);
}

function lines(parts: string[]): string {
  return parts.join(' \\\n  ');
}

/** Quotes a word for a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
