import { hash, randomBytes } from 'node:crypto';

/** `sk_` and 256 random bits. Only the hash is stored; the key is shown once. */
export function newApiKey(): string {
  return `sk_${randomBytes(32).toString('base64url')}`;
}

/** A fast hash suffices, since 256 random bits cannot be guessed. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Enough to tell keys apart in a list, too little to use. */
export function hintOfApiKey(key: string): string {
  return `${key.slice(0, 6)}…${key.slice(-4)}`;
}
