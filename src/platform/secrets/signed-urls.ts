import { Cursors } from './cursors.ts';

const scope = ['artifact'];

/** Tokens that let whoever has one read one stored thing for a while. Nothing is kept about them. */
export class SignedUrls {
  private readonly seals: Cursors;

  constructor(key: Buffer) {
    this.seals = new Cursors(key);
  }

  make(blobId: string, expiresAt: number): string {
    return this.seals.seal(scope, `${Math.floor(expiresAt / 1000).toString(36)}.${blobId}`);
  }

  /** The id of a blob; undefined for what was not made here, and for what is over. */
  read(token: string, now: number): string | undefined {
    const [expires = '', blobId] = this.seals.open(scope, token)?.split('.') ?? [];
    return now < Number.parseInt(expires, 36) * 1000 ? blobId : undefined;
  }
}
