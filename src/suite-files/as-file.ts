import { problemsFound } from './problem.ts';
import { SuiteFile } from './suite-file.ts';

/** What a program has made, as a suite file with its keys in the schema's order. There are no lines to name yet. */
export function asSuiteFile(value: unknown): SuiteFile {
  const parsed = SuiteFile.safeParse(value);
  if (parsed.success) return parsed.data;
  throw problemsFound(
    parsed.error.issues.map(({ path, message }) => ({
      line: 1,
      column: 1,
      path: path.map(String).join('.'),
      message,
    })),
  );
}
