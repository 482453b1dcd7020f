/**
 * Reads the server configuration of MCP clients. Clients differ in the key of the list and in some field
 * names, so an entry is identified by its content: a URL or a command.
 */

export interface ParsedServer {
  name: string;
  url?: string;
  command?: string;
  args: string[];
  headers: Record<string, string>;
  env: Record<string, string>;
  enabled: boolean;
  notes: string[];
}

export interface Reading {
  servers: ParsedServer[];
  problem?: string;
}

type Values = Record<string, unknown>;

/** Maximum number of servers, and of characters. Real configurations are smaller. */
const maxServers = 50;
const maxText = 500_000;

export function readClientConfig(text: string): Reading {
  const trimmed = text.trim();
  if (trimmed === '') return { servers: [] };
  if (trimmed.length > maxText) return { servers: [], problem: 'The text is too long for a configuration' };
  if (/^https?:\/\/\S+$/i.test(trimmed)) return { servers: [fromEntry(hostOf(trimmed), { url: trimmed })] };
  const parsed = parse(trimmed);
  if ('problem' in parsed) return { servers: [], problem: parsed.problem };
  const entries = entriesIn(parsed.value);
  if (entries.length === 0) return { servers: [], problem: 'The JSON has no entry with a command or a URL' };
  if (entries.length > maxServers)
    return { servers: [], problem: `The JSON has ${entries.length} servers; the maximum is ${maxServers}` };
  return { servers: entries.map(([name, entry]) => fromEntry(name, entry)) };
}

/** Accepts comments, trailing commas, and a fragment copied without its braces, as clients do. */
function parse(text: string): { value: unknown } | { problem: string } {
  const plain = withoutComments(text);
  try {
    return { value: JSON.parse(plain) };
  } catch (error) {
    if (plain.startsWith('"'))
      try {
        return { value: JSON.parse(`{${plain.replace(/,\s*$/, '')}}`) };
      } catch {
        // The first error is reported.
      }
    return { problem: `Not JSON: ${(error as Error).message}` };
  }
}

/** Removes comments and trailing commas outside strings. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, string?: string) => string ?? '')
    .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string?: string) => string ?? '')
    .trim();
}

/** Keys of the server list: Claude, Cursor, Windsurf, Cline and others; VS Code; Zed; opencode; Amp. */
const lists = ['mcpServers', 'servers', 'context_servers', 'mcp', 'amp.mcpServers', 'mcp.servers'];

function entriesIn(value: unknown, depth = 0): [name: string, entry: Values][] {
  if (Array.isArray(value))
    return value.flatMap((one) => {
      const entry = asValues(one);
      return entry && isServer(entry) ? [[nameOf(entry), entry] as [string, Values]] : [];
    });
  const values = asValues(value);
  if (!values || depth > 3) return [];
  if (isServer(values)) return [[nameOf(values), values]];
  for (const list of lists) {
    const found = values[list] === undefined ? [] : entriesIn(values[list], depth + 1);
    if (found.length > 0) return found;
  }
  return Object.entries(values).flatMap(([name, one]) => {
    const entry = asValues(one);
    return entry && isServer(entry) ? [[name, entry] as [string, Values]] : [];
  });
}

function isServer(entry: Values): boolean {
  return addressOf(entry) !== undefined || commandOf(entry) !== undefined;
}

/** Windsurf uses `serverUrl`, Gemini `httpUrl`. */
function addressOf(entry: Values): string | undefined {
  return [entry['url'], entry['serverUrl'], entry['httpUrl']].find(
    (one): one is string => typeof one === 'string' && one !== '',
  );
}

/** A string, a list of words, or an object with a path. */
function commandOf(entry: Values): { words: string[]; env: Values } | undefined {
  const { command } = entry;
  const args = texts(entry['args']);
  if (typeof command === 'string' && command !== '') return { words: [command, ...args], env: {} };
  if (Array.isArray(command) && command.length > 0) return { words: [...texts(command), ...args], env: {} };
  const inner = asValues(command);
  return typeof inner?.['path'] === 'string'
    ? { words: [inner['path'], ...texts(inner['args'])], env: asValues(inner['env']) ?? {} }
    : undefined;
}

/** Fields that are used or can be ignored without a warning. */
const knownFields = new Set([
  ...['name', 'type', 'transport', 'transportType', 'url', 'serverUrl', 'httpUrl', 'command', 'args', 'env'],
  ...['environment', 'headers', 'disabled', 'enabled', 'source', 'description', '$schema'],
]);

function fromEntry(name: string, entry: Values): ParsedServer {
  const url = addressOf(entry);
  const command = url === undefined ? commandOf(entry) : undefined;
  const headers = strings(asValues(entry['headers']) ?? {});
  const env = strings({
    ...command?.env,
    ...asValues(entry['env']),
    ...asValues(entry['environment']),
  });
  const left = Object.keys(entry).filter((field) => !knownFields.has(field));
  const open = Object.entries({ ...headers, ...env }).filter(([, value]) => /\$\{[^}]+\}/.test(value));
  const notes = [
    ...open.map(([field]) => `${field} contains a placeholder, not its value`),
    ...(url !== undefined && commandOf(entry) ? ['The command is ignored: the URL is used'] : []),
    ...(url !== undefined && Object.keys(env).length > 0 ? ['Variables apply to commands only'] : []),
    ...(left.length > 0 ? [`Ignored: ${left.join(', ')}`] : []),
  ];
  return {
    name: name.trim() || (url === undefined ? 'server' : hostOf(url)),
    ...(url !== undefined && { url }),
    ...(command && { command: command.words[0] as string }),
    args: command?.words.slice(1) ?? [],
    headers: url === undefined ? {} : headers,
    env: url === undefined ? env : {},
    enabled: entry['disabled'] !== true && entry['enabled'] !== false,
    notes,
  };
}

export function bodyOf({ name, url, command, args, headers, env, enabled }: ParsedServer) {
  return {
    name,
    ...(!enabled && { enabled }),
    ...(url !== undefined && { url }),
    ...(command !== undefined && { transportType: 'stdio' as const, command }),
    ...(args.length > 0 && { args }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(env).length > 0 && { env }),
  };
}

function nameOf(entry: Values): string {
  if (typeof entry['name'] === 'string') return entry['name'];
  const url = addressOf(entry);
  if (url !== undefined) return hostOf(url);
  const words = commandOf(entry)?.words ?? [];
  const said = words.findLast((word) => !word.startsWith('-')) ?? 'server';
  return said.split('/').at(-1) ?? said;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : 'server';
}

function asValues(value: unknown): Values | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((one) => ['string', 'number'].includes(typeof one)).map(String)
    : [];
}

function strings(values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [name, String(value)]),
  );
}
