import { Refusal } from '../../contract/errors.ts';
import { SuiteFileProblem } from '../../suite-files/problem.ts';

/** Describes the problems of a file to its author. */
function refusalOf({ problems, more }: SuiteFileProblem): Refusal {
  const [first] = problems;
  const where = first
    ? `${first.line}:${first.column}: ${first.path && `${first.path}: `}${first.message}`
    : '';
  const others = problems.length + more - 1;
  return new Refusal(
    'VALIDATION_ERROR',
    `The suite file cannot be used. ${where.slice(0, 400).toWellFormed()}${others > 0 ? ` (and ${others} more)` : ''}`,
    {
      details: {
        reason: problems.find(({ code }) => code !== undefined)?.code ?? 'INVALID_SUITE_FILE',
        problems,
        ...(more > 0 && { more }),
      },
    },
  );
}

/** Turns problems of a file into a refusal. */
export async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof SuiteFileProblem ? refusalOf(error) : error;
  }
}
