import { Worker } from 'node:worker_threads';
import type { Job, Outcome } from './job.ts';
import { SuiteFileProblem } from './problem.ts';
import type { ReadSuiteFile } from './read.ts';
import type { SuiteFile } from './suite-file.ts';
import { Turns } from './turns.ts';
import type { WriteOptions } from './write.ts';

/** Bytes, or characters of JSON, that are worked on in place: it takes milliseconds. */
const small = 16_384;
/** Milliseconds. The worst file that is allowed takes a few seconds. */
const longest = 30_000;

/** As `readSuiteFile`. A large file takes a second or two: a thread reads it, so that nobody else waits. */
export function readAside(owner: string, bytes: Uint8Array, fileName: string): Promise<ReadSuiteFile> {
  return work(owner, bytes.length, { kind: 'read', bytes, fileName }) as Promise<ReadSuiteFile>;
}

/** As `writeSuiteFile`, likewise. */
export function writeAside(owner: string, file: SuiteFile, options: WriteOptions): Promise<string> {
  return work(owner, JSON.stringify(file).length, { kind: 'write', file, options }) as Promise<string>;
}

async function work(owner: string, size: number, job: Job): Promise<unknown> {
  const outcome =
    size <= small || fromSources ? await inPlace(job) : await turns.take(owner, () => inThread(job));
  if ('problems' in outcome) throw new SuiteFileProblem(outcome.problems, outcome.more);
  return outcome.made;
}

/** Loaded when it is first needed: most processes see no file. */
async function inPlace(job: Job): Promise<Outcome> {
  return (await import('./job.ts')).perform(job);
}

/** Then there is no file that a thread could load. */
const fromSources = import.meta.url.endsWith('.ts');

/** One thread at a time, whoever asks. */
const turns = new Turns();

/** For a file that is not worked on to the end. */
function givenUp(message: string): Outcome {
  return { problems: [{ line: 1, column: 1, path: '', message }], more: 0 };
}

async function inThread(job: Job): Promise<Outcome> {
  const thread = new Worker(new URL('./suite-file-thread.js', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const timer = setTimeout(() => void thread.terminate(), longest);
  try {
    return await new Promise<Outcome>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? resolve(givenUp('The file takes too much memory'))
          : reject(error),
      );
      thread.once('exit', () => resolve(givenUp('The file takes too long')));
    });
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
