import * as contents from '../../platform/database/queries/eval-suite-contents.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { removal } from '../base/removal.ts';
import type { Services } from '../context/context.ts';
import { stopJudgings } from './judge/grading.ts';

/** Removes the cases and runs of a deleted suite, after the judgements of its runs have stopped. */
export function suiteRemoval(services: Services): JobHandler {
  return removal(services.db, contents, (suiteId, signal) => stopJudgings(services, suiteId, signal));
}
