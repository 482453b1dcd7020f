export type BrowserFailureKind =
  /** There is no browser, or it is disabled. */
  | 'off'
  /** The maximum number of sessions is open. */
  | 'capacity'
  | 'timeout'
  | 'closed'
  /** The command or policy is invalid or not possible. */
  | 'refused'
  | 'crashed'
  /** The session's policy forbids it. */
  | 'not-allowed';

/** An error of a browser session. The message is for users. */
export class BrowserFailure extends Error {
  readonly kind: BrowserFailureKind;

  constructor(kind: BrowserFailureKind, message: string) {
    super(message);
    this.name = 'BrowserFailure';
    this.kind = kind;
  }
}
