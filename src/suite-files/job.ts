import { type Problem, SuiteFileProblem } from './problem.ts';
import { type ReadSuiteFile, readSuiteFile } from './read.ts';
import type { SuiteFile } from './suite-file.ts';
import { type WriteOptions, writeSuiteFile } from './write.ts';

/** Work on a suite file that may take long. */
export type Job =
  | { kind: 'read'; bytes: Uint8Array; fileName: string }
  | { kind: 'write'; file: SuiteFile; options: WriteOptions };

/** In a form that can be sent between threads. */
export type Outcome = { made: ReadSuiteFile | string } | { problems: readonly Problem[]; more: number };

export function perform(job: Job): Outcome {
  try {
    if (job.kind === 'read') return { made: readSuiteFile(job.bytes, job) };
    return { made: writeSuiteFile(job.file, job.options) };
  } catch (error) {
    if (!(error instanceof SuiteFileProblem)) throw error;
    return { problems: error.problems, more: error.more };
  }
}
