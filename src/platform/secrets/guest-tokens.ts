import { randomBytes } from 'node:crypto';
import { Cursors } from './cursors.ts';

const scope = ['directory guest'];
const prefix = 'guest_';

export interface DirectoryGuest {
  /** Distinguishes tokens. */
  id: string;
  organizationId: string;
  expiresAt: number;
}

/** Stateless tokens that grant temporary read access to the server directory. */
export class GuestTokens {
  private readonly seals: Cursors;

  constructor(key: Buffer) {
    this.seals = new Cursors(key);
  }

  make(organizationId: string, expiresAt: number): string {
    const id = randomBytes(9).toString('base64url');
    const expires = Math.floor(expiresAt / 1000).toString(36);
    return `${prefix}${this.seals.seal(scope, [id, expires, organizationId].join('.'))}`;
  }

  /** Undefined for a token that was not created here. */
  read(token: string): DirectoryGuest | undefined {
    if (!token.startsWith(prefix) || token.length > 256) return undefined;
    const opened = this.seals.open(scope, token.slice(prefix.length));
    if (opened === undefined) return undefined;
    const [id, expires, organizationId] = opened.split('.') as [string, string, string];
    return { id, organizationId, expiresAt: Number.parseInt(expires, 36) * 1000 };
  }
}
