import { isIP } from 'node:net';
import { z } from 'zod';

/** Kinds of values that settings have. */

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

export const networks = z
  .string()
  .transform((value) => value.split(',').map((network) => network.trim()))
  .refine((list) => list.every(isNetwork), 'Write networks like 10.1.0.0/16, with commas between them');

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= longest;
}

export const providerKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,1000}$/, 'A key has no spaces and no line breaks');

/** Of the address itself, or of the endpoint that it names. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, searchParams } = new URL(url);
  return username !== '' || password !== '' || hasCredentials(searchParams.get('endpoint') ?? '');
}

export const port = z.coerce.number().int().min(0).max(65535);
