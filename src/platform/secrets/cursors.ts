import { createHmac, timingSafeEqual } from 'node:crypto';

/** Bytes of the message authentication code of a cursor. */
const macLength = 16;

/** Creates unforgeable list cursors. A cursor is valid only for the list and filters it was created for. */
export class Cursors {
  private readonly key: Buffer;

  constructor(key: Buffer) {
    this.key = key;
  }

  seal(scope: readonly unknown[], position: string): string {
    const body = Buffer.from(position);
    return Buffer.concat([this.mac(scope, body), body]).toString('base64url');
  }

  /** Returns the position, or undefined if the cursor was not sealed with this key for this scope. */
  open(scope: readonly unknown[], cursor: string): string | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    // Several spellings decode to the same bytes; only ours is accepted.
    if (bytes.length <= macLength || bytes.toString('base64url') !== cursor) return undefined;
    const body = bytes.subarray(macLength);
    return timingSafeEqual(bytes.subarray(0, macLength), this.mac(scope, body)) ? body.toString() : undefined;
  }

  private mac(scope: readonly unknown[], position: Buffer): Buffer {
    const mac = createHmac('sha256', this.key)
      .update(`${JSON.stringify(scope)}\n`)
      .update(position);
    return mac.digest().subarray(0, macLength);
  }
}
