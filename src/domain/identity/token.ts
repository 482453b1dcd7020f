import { hash, randomBytes } from 'node:crypto';

/** 256 random bits: of a session or a link. It is told once; what is stored cannot be used. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** There is nothing to guess, so a fast hash is right. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
