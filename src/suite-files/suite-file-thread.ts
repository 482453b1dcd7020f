import { parentPort, workerData } from 'node:worker_threads';
import { type Job, perform } from './job.ts';

/** The entry point of the worker thread. */
parentPort?.postMessage(perform(workerData as Job));
