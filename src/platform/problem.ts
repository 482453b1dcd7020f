/** Something the operator must mend. Shown as one line, without a stack. */
export class OperatorProblem extends Error {
  override name = 'OperatorProblem';
  /** What the command exits with. */
  readonly exitCode: number;
  /** The message is for a program: it is printed with nothing before it. */
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
