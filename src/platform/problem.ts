/** A problem that the operator must fix. Shown as one line, without a stack. */
export class OperatorProblem extends Error {
  override name = 'OperatorProblem';
  /** The exit code of the command. */
  readonly exitCode: number;
  /** Prints the message without a prefix, for programs. */
  readonly asItIs: boolean;

  constructor(
    message: string,
    { exitCode = 2, asItIs = false, ...options }: ErrorOptions & { exitCode?: number; asItIs?: boolean } = {},
  ) {
    super(message, options);
    this.exitCode = exitCode;
    this.asItIs = asItIs;
  }
}
