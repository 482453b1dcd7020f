import { z } from 'zod';

/** What publishers say of their servers (server.json), as far as it is used here, and lists of such. */

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
  /** What a registry has added, if it did: it has checked who publishes under the name. */
  official: z.output<typeof Official> | undefined;
  /** As it came. */
  raw: object;
}

export interface ServerList {
  listed: Listed[];
  /** Entries that cannot be read. */
  skipped: number;
  nextCursor: string | undefined;
}

/** Bytes of one entry. */
const mostOfOne = 64 * 1024;

/** An array of entries, or a page of a registry; undefined when it is neither, or has more entries than that. */
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

/** With what a registry puts around it, or as publishers write it. */
function readEntry(entry: unknown): Listed | undefined {
  if (!isObject(entry)) return undefined;
  const around = isObject(entry['server']) ? entry : { server: entry };
  const server = ServerJson.safeParse(around['server']);
  if (!server.success || isOutOfBounds(around['server'])) return undefined;
  const meta = around['_meta'];
  const official = isObject(meta) ? meta[officialKey] : undefined;
  const read = official === undefined ? undefined : Official.safeParse(official);
  if (read && !read.success) return undefined;
  // Words are cleaned before they are shown; of where it is and how it is run nothing may change.
  const { packages, remotes } = server.data;
  if (unstorable.test(JSON.stringify([packages, remotes, official]))) return undefined;
  return { server: server.data, official: read?.data, raw: around['server'] as object };
}

/** What JSON writes for a character that cannot be stored: NUL, or half of a pair. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** Too long, or with a key that would not stay one when the object is copied. */
function isOutOfBounds(server: unknown): boolean {
  const text = JSON.stringify(server);
  return text.length > mostOfOne || text.includes('"__proto__"');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
