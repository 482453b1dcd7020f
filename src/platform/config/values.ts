import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { hostUrls } from './database-hosts.ts';

/** Schemas shared by settings. */

export const flag = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0', 'on', 'off'])])
  .transform((value) => value === true || value === 'true' || value === '1' || value === 'on');

export const rateLimit = z
  .string()
  .regex(/^(off|[1-9]\d{0,6}\/[1-9]\d{0,6})$/, 'Write perMinute/burst, like 60/10, or off')
  .transform((value) => {
    if (value === 'off') return undefined;
    const [perMinute, burst] = value.split('/').map(Number) as [number, number];
    return { perMinute, burst };
  });

export const networks = z.string().transform((value, context) => {
  const list = value.split(',').map((text) => networkOf(text.trim()));
  if (list.every((network) => network !== undefined)) return list;
  context.addIssue('Write networks like 10.1.0.0/16 or single addresses, with commas between them');
  return z.NEVER;
});

/** A single address is a network of one address. */
function networkOf(text: string): string | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return undefined;
  const longest = family === 4 ? 32 : 128;
  if (bits === undefined) return `${address}/${longest}`;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= longest ? text : undefined;
}

export const databaseUrl = z.string().superRefine((url, context) => {
  try {
    hostUrls(url);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});

export const providerKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,1000}$/, 'A key has no spaces and no line breaks');

/** Whether the URL, or the endpoint in its query, contains credentials. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, searchParams } = new URL(url);
  return username !== '' || password !== '' || hasCredentials(searchParams.get('endpoint') ?? '');
}

/** A source of registry entries. */
export interface RegistrySource {
  name: string;
  /** Bundled with the service, a file, or the URL of a registry. */
  kind: 'bundled' | 'file' | 'url';
  location: string;
}

const sourceName = /^[a-z0-9][a-z0-9_-]{0,31}$/;
const notNames = ['all', 'off', 'bundled'];

/** Parses `bundled,name=location,…`. */
export const registrySources = z.string().transform((value, check): RegistrySource[] => {
  const items = value.trim() === 'off' ? [] : value.split(',').map((item) => item.trim());
  const sources = items.flatMap((item) => sourceFrom(item) ?? []);
  const names = new Set(sources.map(({ name }) => name));
  if (sources.length < items.length || names.size < sources.length || sources.length > 20)
    check.addIssue({
      code: 'custom',
      message:
        'Must be off, or a comma-separated list of bundled, name=https://… and name=FILE. A name has lowercase letters, digits, - and _, and occurs once',
    });
  return sources;
});

function sourceFrom(item: string): RegistrySource | undefined {
  if (item === 'bundled') return { name: item, kind: 'bundled', location: item };
  const [, name = '', location = ''] = /^([^=]*)=(.+)$/.exec(item) ?? [];
  if (!sourceName.test(name) || notNames.includes(name)) return undefined;
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(location)) return { name, kind: 'file', location: resolve(location) };
  if (!/^https?:/i.test(location) || !URL.canParse(location) || hasCredentials(location)) return undefined;
  if (/[?#]/.test(location)) return undefined;
  return { name, kind: 'url', location: location.replace(/\/+$/, '') };
}

export const paths = z
  .string()
  .transform((value) => value.split(',').map((path) => path.trim()))
  .refine(
    (list) => list.every((path) => /^\/.*[^/]/.test(path)),
    'Write full paths, with commas between them',
  );

export const port = z.coerce.number().int().min(0).max(65535);

/** A setting for operators. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  env: string;
  schema: Schema;
  meaning: string;
  /** Shown instead of a computed default. */
  fallback?: string;
  secret?: true;
}

export function setting<Schema extends z.ZodType>(declared: Setting<Schema>): Setting<Schema> {
  return declared;
}
