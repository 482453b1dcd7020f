/** Something the operator must mend. Shown as one line, without a stack. */
export class OperatorProblem extends Error {
  override name = 'OperatorProblem';
  /** What the command exits with. */
  readonly exitCode: number;

  constructor(message: string, { exitCode = 2, ...options }: ErrorOptions & { exitCode?: number } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
