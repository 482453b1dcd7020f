import { type EvaluationConfig, type Score, scoreChecker, scorecardOf } from '../../evaluation/index.ts';
import type { Db } from '../../platform/database/database.ts';
import * as compare from '../../platform/database/queries/eval-compare.ts';
import type { RunSnapshot } from './snapshot.ts';
import { trialPlan } from './trial-plan.ts';

const pageSize = 500;
const maxCheckers = 500;

/** How many trials of a run have scores, and how many of these have invalid ones. */
interface ScoredTrials {
  scored: number;
  quarantined: number;
}

export function integrityOf({ scored, quarantined }: ScoredTrials): 'valid' | 'invalid' | null {
  if (scored === 0) return null;
  return quarantined === 0 ? 'valid' : 'invalid';
}

export async function scoredTrials(db: Db, runId: string, snapshot: RunSnapshot): Promise<ScoredTrials> {
  const planned = new Map(snapshot.cases.map((one) => [one.id, one]));
  const checkers = new Map<string, (scores: readonly Score[]) => boolean>();
  const checkerOf = (key: string, config: () => EvaluationConfig) => {
    const checker = checkers.get(key) ?? scoreChecker(config());
    if (checkers.size < maxCheckers) checkers.set(key, checker);
    return checker;
  };
  const found: ScoredTrials = { scored: 0, quarantined: 0 };
  for (let after = -1; ; ) {
    const rows = await db.rows(compare.scored, { runId, after, most: pageSize });
    for (const { caseId, configHash, config, scores } of rows) {
      const own = planned.get(caseId);
      if (!own || (snapshot.reported && config === null)) continue;
      found.scored++;
      const judgedBy = (): EvaluationConfig => scorecardOf(trialPlan(own, snapshot)).config;
      const isIntact =
        config === null
          ? configHash === judgedBy().hash && checkerOf(caseId, judgedBy)(scores as Score[])
          : checkerOf(JSON.stringify(config), () => config as EvaluationConfig)(scores as Score[]);
      if (!isIntact) found.quarantined++;
    }
    if (rows.length < pageSize) return found;
    after = rows.at(-1)?.position ?? after;
  }
}
