import { hash, randomBytes } from 'node:crypto';

/**
 * 256 random bits: of a session or a link. It is told once; what is stored cannot be used. It never begins with a dash,
 * which a command line would take for an option.
 */
export function newToken(): string {
  for (;;) {
    const token = randomBytes(32).toString('base64url');
    if (!token.startsWith('-')) return token;
  }
}

/** There is nothing to guess, so a fast hash is right. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
