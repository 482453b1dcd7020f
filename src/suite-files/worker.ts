import { Worker } from 'node:worker_threads';
import { Refusal } from '../contract/errors.ts';
import { Semaphore } from '../platform/flow/semaphore.ts';
import type { Job, Outcome } from './job.ts';
import { SuiteFileProblem } from './problem.ts';
import type { ReadSuiteFile } from './read.ts';
import type { SuiteFile } from './suite-file.ts';
import type { WriteOptions } from './write.ts';

/** Maximum bytes, or characters of JSON, of a file for the main thread, which processes it in milliseconds. */
const smallFile = 16_384;
/** Milliseconds after which the worker thread is stopped. The worst allowed file takes a few seconds. */
const timeout = 30_000;

/** Like `readSuiteFile`. A large file takes a second or two, so a worker thread reads it. */
export function readInWorker(owner: string, bytes: Uint8Array, fileName: string): Promise<ReadSuiteFile> {
  return work(owner, bytes.length, { kind: 'read', bytes, fileName }) as Promise<ReadSuiteFile>;
}

/** Like `writeSuiteFile`, in a worker thread if the file is large. */
export function writeInWorker(owner: string, file: SuiteFile, options: WriteOptions): Promise<string> {
  return work(owner, JSON.stringify(file).length, { kind: 'write', file, options }) as Promise<string>;
}

async function work(owner: string, size: number, job: Job): Promise<unknown> {
  const outcome =
    size <= smallFile || fromSources ? await inPlace(job) : await thread.run(() => inThread(job), { owner });
  if ('problems' in outcome) throw new SuiteFileProblem(outcome.problems, outcome.more);
  return outcome.made;
}

/** Loaded on first use, because most processes never need it. */
async function inPlace(job: Job): Promise<Outcome> {
  return (await import('./job.ts')).perform(job);
}

/** From sources there is no bundled file for a worker thread. */
const fromSources = import.meta.url.endsWith('.ts');

/** One worker thread per process. A waiting file is held in memory, so an organization may have few. */
const thread = new Semaphore(1, {
  total: 50,
  perOwner: 4,
  error: () => new Refusal('RATE_LIMITED', 'Many suite files are waiting to be read', { retryAfter: 5 }),
});

/** For a file whose processing was aborted. */
function givenUp(message: string): Outcome {
  return { problems: [{ line: 1, column: 1, path: '', message }], more: 0 };
}

async function inThread(job: Job): Promise<Outcome> {
  const thread = new Worker(new URL('./suite-file-thread.js', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const timer = setTimeout(() => void thread.terminate(), timeout);
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
