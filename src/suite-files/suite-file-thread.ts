import { parentPort, workerData } from 'node:worker_threads';
import { type Job, perform } from './job.ts';

/** What a thread that works on one suite file runs. */
parentPort?.postMessage(perform(workerData as Job));
