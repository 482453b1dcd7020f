import { Cursors } from './cursors.ts';

/** What the bytes are. */
type ArtifactKind = 'screenshot' | 'video' | 'frames';

export interface SignedArtifact {
  kind: ArtifactKind;
  blobId: string;
}

const kinds: readonly string[] = ['screenshot', 'video', 'frames'] satisfies ArtifactKind[];
const scope = ['artifact'];

/** Tokens that let whoever has one read one stored thing for a while. Nothing is kept about them. */
export class SignedUrls {
  private readonly seals: Cursors;

  constructor(key: Buffer) {
    this.seals = new Cursors(key);
  }

  make({ kind, blobId }: SignedArtifact, expiresAt: number): string {
    return this.seals.seal(scope, `${kind}.${Math.floor(expiresAt / 1000).toString(36)}.${blobId}`);
  }

  /** Undefined for what was not made here, and for what is over. */
  read(token: string, now: number): SignedArtifact | undefined {
    const [kind = '', expires = '', blobId = ''] = this.seals.open(scope, token)?.split('.') ?? [];
    if (!kinds.includes(kind) || now >= Number.parseInt(expires, 36) * 1000) return undefined;
    return { kind: kind as ArtifactKind, blobId };
  }
}
