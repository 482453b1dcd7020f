import { Cursors } from './cursors.ts';

const scope = ['artifact'];

/** Stateless tokens that grant temporary read access to one blob. */
export class SignedUrls {
  private readonly seals: Cursors;

  constructor(key: Buffer) {
    this.seals = new Cursors(key);
  }

  make(blobId: string, expiresAt: number): string {
    return this.seals.seal(scope, `${Math.floor(expiresAt / 1000).toString(36)}.${blobId}`);
  }

  /** The ID of the blob. Undefined for a foreign or expired token. */
  read(token: string, now: number): string | undefined {
    const [expires = '', blobId] = this.seals.open(scope, token)?.split('.') ?? [];
    return now < Number.parseInt(expires, 36) * 1000 ? blobId : undefined;
  }
}
