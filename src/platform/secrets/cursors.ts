import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Opaque list positions. A cursor works only for the list and filters it was made for. */
export class Cursors {
  private readonly key: Buffer;

  constructor(key: Buffer) {
    this.key = key;
  }

  seal(scope: readonly unknown[], position: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(digest(scope));
    const body = Buffer.concat([cipher.update(position, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
  }

  /** Undefined for anything that was not sealed here for this scope. */
  open(scope: readonly unknown[], cursor: string): string | undefined {
    if (!/^[A-Za-z0-9_-]{38,}$/.test(cursor)) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    // Several spellings decode to the same bytes; only ours is accepted.
    if (bytes.length < 28 || bytes.toString('base64url') !== cursor) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, 12))
        .setAAD(digest(scope))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}

function digest(scope: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(scope)).digest();
}
