import { randomBytes } from 'node:crypto';
import { Cursors } from './cursors.ts';

const scope = ['directory guest'];
const prefix = 'guest_';

export interface DirectoryGuest {
  /** Tells tokens apart. */
  id: string;
  organizationId: string;
  expiresAt: number;
}

/** Tokens that let whoever has one look into the directory of servers for a while. Nothing is kept about them. */
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

  /** Undefined for what was not made here. */
  read(token: string): DirectoryGuest | undefined {
    if (!token.startsWith(prefix) || token.length > 256) return undefined;
    const opened = this.seals.open(scope, token.slice(prefix.length));
    if (opened === undefined) return undefined;
    const [id, expires, organizationId] = opened.split('.') as [string, string, string];
    return { id, organizationId, expiresAt: Number.parseInt(expires, 36) * 1000 };
  }
}
