import { z } from 'zod';

/** The used fields of server.json, the format in which publishers describe their servers, and of lists of these. */

const text = z.string().max(4000);
const few = <Item extends z.ZodType>(item: Item) => z.array(item).max(100);

const Input = z.looseObject({
  value: text.optional(),
  default: text.optional(),
  choices: few(text).optional(),
  isRequired: z.boolean().optional(),
  description: text.optional(),
});
const NamedInput = Input.extend({ name: text });
const Argument = Input.extend({ type: text.optional(), name: text.optional(), valueHint: text.optional() });

const Remote = z.looseObject({
  type: text,
  url: text,
  headers: few(NamedInput).optional(),
  variables: z.record(z.string().max(64), Input).optional(),
});

const Package = z.looseObject({
  registryType: text,
  identifier: text,
  version: text.optional(),
  registryBaseUrl: text.optional(),
  transport: z.looseObject({ type: text }).optional(),
  runtimeArguments: few(Argument).optional(),
  packageArguments: few(Argument).optional(),
  environmentVariables: few(NamedInput).optional(),
});

const ServerJson = z.looseObject({
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/),
  title: text.optional(),
  description: text.default(''),
  version: z.string().max(300),
  remotes: few(Remote).optional(),
  packages: few(Package).optional(),
});
type ServerJson = z.output<typeof ServerJson>;
export type RemoteJson = z.output<typeof Remote>;
export type PackageJson = z.output<typeof Package>;

const Official = z.looseObject({
  status: z.string().max(40).optional(),
  isLatest: z.boolean().optional(),
});
const officialKey = 'io.modelcontextprotocol.registry/official';

export interface Listed {
  server: ServerJson;
  /** Metadata of a registry that verified the publisher; undefined without such a registry. */
  official: z.output<typeof Official> | undefined;
  /** The original entry. */
  raw: object;
}

export interface ServerList {
  listed: Listed[];
  /** Number of invalid entries. */
  skipped: number;
  nextCursor: string | undefined;
}

/** Maximum characters of the JSON of one entry. */
const maxEntryLength = 64 * 1024;

/** Parses an array of entries, or a page of a registry. Undefined if it is neither or has more than `most` entries. */
export function readServerList(document: unknown, most: number): ServerList | undefined {
  const page = Array.isArray(document) ? { servers: document as unknown[] } : document;
  if (!isObject(page) || !Array.isArray(page['servers'])) return undefined;
  const entries: unknown[] = page['servers'];
  if (entries.length > most) return undefined;
  const listed = entries.flatMap((entry) => readEntry(entry) ?? []);
  const { nextCursor } = isObject(page['metadata']) ? page['metadata'] : {};
  return {
    listed,
    skipped: entries.length - listed.length,
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
  };
}

/** Accepts the wrapper of a registry, or the publisher's own format. */
function readEntry(entry: unknown): Listed | undefined {
  if (!isObject(entry)) return undefined;
  const around = isObject(entry['server']) ? entry : { server: entry };
  const server = ServerJson.safeParse(around['server']);
  if (!server.success || isOutOfBounds(around['server'])) return undefined;
  const meta = around['_meta'];
  const official = isObject(meta) ? meta[officialKey] : undefined;
  const read = official === undefined ? undefined : Official.safeParse(official);
  if (read && !read.success) return undefined;
  // Descriptions are cleaned later, but the packages and URLs must not change.
  const { packages, remotes } = server.data;
  if (unstorable.test(JSON.stringify([packages, remotes, official]))) return undefined;
  return { server: server.data, official: read?.data, raw: around['server'] as object };
}

/** Matches JSON escapes of characters that PostgreSQL cannot store: NUL and lone surrogates. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** Too long, or with keys like `__proto__` that copying would lose. */
function isOutOfBounds(server: unknown): boolean {
  const text = JSON.stringify(server);
  return text.length > maxEntryLength || text.includes('"__proto__"');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
