export type BrowserFailureKind =
  /** There is no browser, or it may not be started here. */
  | 'off'
  /** As many sessions are open as may be. */
  | 'capacity'
  | 'timeout'
  /** The session has ended. */
  | 'closed'
  /** What was asked for cannot be done: the command or the policy makes no sense. */
  | 'refused'
  | 'crashed'
  /** The policy of the session forbids it. */
  | 'not-allowed';

/** The one error of this module. Its message is made for people and says what to do. */
export class BrowserFailure extends Error {
  readonly kind: BrowserFailureKind;

  constructor(kind: BrowserFailureKind, message: string) {
    super(message);
    this.name = 'BrowserFailure';
    this.kind = kind;
  }
}
