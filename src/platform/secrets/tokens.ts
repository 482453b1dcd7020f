import { hash, randomBytes } from 'node:crypto';

/**
 * 256 random bits for a session or a link. Returned once; only a hash is stored. Never starts with a dash, which a
 * command line would parse as an option.
 */
export function newToken(): string {
  for (;;) {
    const token = randomBytes(32).toString('base64url');
    if (!token.startsWith('-')) return token;
  }
}

/** A fast hash is sufficient, because random tokens cannot be guessed. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
