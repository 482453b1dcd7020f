import { lexicalJudge, type PlannedJudge } from '../../../evaluation/index.ts';
import type { ModelCatalog } from '../../../models/catalog.ts';
import { type ApiKeys, hostedRoute, type ModelRoute, resolveModel } from '../../../models/resolve.ts';
import { defaultJudge, type Judge } from '../../eval-suites/settings.ts';
import type { PlannedCase, RunJudge, RunSnapshot } from '../snapshot.ts';

/** The judge that a run is launched with. The offline one only advises, whatever its suite says. */
export function frozenJudge(judge: Judge, route: ModelRoute | undefined): RunJudge {
  if (route) return { ...judge, resolved: route.id };
  const wanted = decides(judge) && { demoted: true as const };
  return { ...judge, resolved: lexicalJudge, severity: 'warn', ...wanted };
}

/** Whether a verdict waits for a judge. */
export function decides({ enabled, autoRun, severity }: Judge): boolean {
  return enabled && autoRun && severity !== 'warn';
}

/** The judge of a run as it was launched; of one that knows none, the one that every suite begins with. */
export function judgeOf({ judge }: RunSnapshot): RunJudge {
  return judge ?? frozenJudge(defaultJudge, undefined);
}

/** The judge that the verdict waits for. What ran elsewhere was decided there. */
export function gatingJudge(snapshot: RunSnapshot): RunJudge | undefined {
  const judge = judgeOf(snapshot);
  return decides(judge) && !snapshot.reported ? judge : undefined;
}

/** A case that prompts nobody has no goal, and a case may do without a judge. */
export function isJudged({ judged, steps }: PlannedCase): boolean {
  return judged !== false && steps.some(({ kind }) => kind === 'prompt');
}

/** How the judge decides about a case, when it does. */
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

/**
 * The model that judges: the one that is wanted, else the first that this deployment hosts. Undefined without a language
 * model, or where the offline one is wanted: then words are counted.
 */
export function judgingRoute(
  models: ModelCatalog,
  wanted: string,
  apiKeys: ApiKeys = {},
): ModelRoute | undefined {
  const { route } = resolveModel(models, { model: wanted }, apiKeys);
  if (route) return route.wire === 'rehearsal' ? undefined : route;
  return hostedRoute(models);
}
