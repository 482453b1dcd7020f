/** Something the operator must mend. Shown as one line, without a stack. */
export class OperatorProblem extends Error {
  override name = 'OperatorProblem';
}
