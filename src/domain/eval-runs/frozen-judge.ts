import { lexicalJudge, type PlannedJudge } from '../../evaluation/index.ts';
import { type ModelRoute } from '../../models/resolve.ts';
import { defaultJudge, type Judge } from '../eval-suites/settings.ts';
import type { PlannedCase, RunJudge, RunSnapshot } from './snapshot.ts';

/** The judge as frozen at launch. The offline (lexical) judge is always advisory, whatever the suite says. */
export function frozenJudge(judge: Judge, route: ModelRoute | undefined): RunJudge {
  if (route) return { ...judge, resolved: route.id };
  const wanted = decides(judge) && { demoted: true as const };
  return { ...judge, resolved: lexicalJudge, severity: 'warn', ...wanted };
}

/** Whether the verdict waits for the judge. */
export function decides({ enabled, autoRun, severity }: Judge): boolean {
  return enabled && autoRun && severity !== 'warn';
}

/** The judge as launched; for runs from before judges were stored, the default judge. */
export function judgeOf({ judge }: RunSnapshot): RunJudge {
  return judge ?? frozenJudge(defaultJudge, undefined);
}

/** The judge the verdict waits for. Undefined for reported runs: their reporter has already decided them. */
export function gatingJudge(snapshot: RunSnapshot): RunJudge | undefined {
  const judge = judgeOf(snapshot);
  return decides(judge) && !snapshot.reported ? judge : undefined;
}

/**
 * Whether the judge scores a case: judging is not turned off for it, and it has a prompt, without which there is no
 * goal.
 */
export function isJudged({ judged, steps }: PlannedCase): boolean {
  return judged !== false && steps.some(({ kind }) => kind === 'prompt');
}

/** The scorer a gating judge adds to a case; undefined if it adds none. */
export function plannedJudge(planned: PlannedCase, snapshot: RunSnapshot): PlannedJudge | undefined {
  const judge = gatingJudge(snapshot);
  if (!judge || !isJudged(planned)) return undefined;
  const { resolved, threshold, rubric } = judge;
  return {
    model: resolved,
    deterministic: resolved === lexicalJudge,
    passThreshold: threshold,
    rule: rubric ?? null,
  };
}
