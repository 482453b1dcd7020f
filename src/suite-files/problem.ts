/** A problem in a file and its position: lines and columns count from 1. */
export interface Problem {
  line: number;
  column: number;
  /** Like `cases.0.title`; empty for the file as a whole. */
  path: string;
  code?: string;
  message: string;
}

/** Why a file is invalid. Lists the first problems; `more` is the number of others. */
export class SuiteFileProblem extends Error {
  override readonly name = 'SuiteFileProblem';

  constructor(
    readonly problems: readonly Problem[],
    readonly more = 0,
  ) {
    const lines = problems.map(
      ({ line, column, path, message }) => `${line}:${column}: ${path && `${path}: `}${message}`,
    );
    super([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }
}

const maxListed = 20;

export function problemsFound(all: readonly Problem[]): SuiteFileProblem {
  const sorted = all.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return new SuiteFileProblem(
    sorted.slice(0, maxListed).map((problem) => ({
      ...problem,
      path: problem.path.slice(0, 300).toWellFormed(),
      message: problem.message.slice(0, 500).toWellFormed(),
    })),
    Math.max(0, sorted.length - maxListed),
  );
}
