import { isGating, type TurnScope } from '../checks/evaluate.ts';
import { kindOf } from '../checks/index.ts';
import { canonicalText, isObject, sha256 } from '../json/value.ts';
import { judgeTemplateHash, judgeTemplateVersion } from '../judging/template.ts';
import type { PlannedJudge, TrialPlan } from '../plan.ts';
import {
  type EvaluationConfig,
  evaluationConfig,
  type HashedDefinition,
  hashed,
  type ScoreDefinition,
} from './definition.ts';

/** A score definition and the kind of measurement. */
export type Scorer = { scored: HashedDefinition } & (
  | { measures: 'check'; check: unknown; promptIndex: number | undefined }
  | { measures: 'step'; check: unknown; stepId: string }
  | { measures: 'toolCallMatch' | 'toolErrors' | 'scriptedSteps' }
  | { measures: 'judge' }
);

const version = '1';

/** All scorers of a trial. */
export interface Scorecard {
  scorers: readonly Scorer[];
  definitions: readonly HashedDefinition[];
  config: EvaluationConfig;
  /** Set if a judge also decides the trial. */
  judge: HashedDefinition | undefined;
}

const scorecards = new WeakMap<TrialPlan, Scorecard>();

/** Cached by plan: the trials of a case share it, and hashing the definitions takes longer than grading. */
export function scorecardOf(plan: TrialPlan): Scorecard {
  const known = scorecards.get(plan);
  if (known) return known;
  const scorers = scorersOf(plan);
  const definitions = scorers.map(({ scored }) => scored);
  const judge = scorers.find(({ measures }) => measures === 'judge')?.scored;
  const made = { scorers, definitions, config: evaluationConfig(definitions), judge };
  scorecards.set(plan, made);
  return made;
}

/**
 * One scorer per check, one for the expected tool calls, one for tool errors unless the plan allows them, one for the
 * widget steps, and one for the judge. A trial passes if all gating scorers do.
 */
function scorersOf(plan: TrialPlan): Scorer[] {
  const scorers: Scorer[] = plan.checks.map((check) => ({
    measures: 'check',
    check,
    promptIndex: undefined,
    scored: hashed(definitionOfCheck(check, undefined, undefined)),
  }));
  for (const { promptIndex, checks = [] } of plan.turns)
    for (const check of checks)
      scorers.push({
        measures: 'check',
        check,
        promptIndex,
        scored: hashed(definitionOfCheck(check, promptIndex, undefined)),
      });
  for (const { stepId, check, promptIndex } of plan.steps)
    if (check)
      scorers.push({
        measures: 'step',
        check,
        stepId,
        scored: hashed(definitionOfCheck(check, promptIndex, stepId)),
      });
  const { match, isNegative } = plan;
  const expected = plan.turns.map((turn) => turn.expected);
  scorers.push({
    measures: 'toolCallMatch',
    scored: ours('toolCallMatch', 'The expected tools were called', { match, isNegative, expected }),
  });
  if (plan.failOnToolError !== false)
    scorers.push({ measures: 'toolErrors', scored: ours('toolErrors', 'No call of a tool failed', {}) });
  const scripted = plan.steps.filter(({ check }) => !check).map(({ stepId }) => stepId);
  if (scripted.length > 0)
    scorers.push({
      measures: 'scriptedSteps',
      scored: ours('scriptedSteps', 'The steps on widgets went well', { scripted }),
    });
  if (plan.judge) scorers.push({ measures: 'judge', scored: judgeOf(plan.judge) });
  return scorers;
}

/** Derives the ID from the check and its place, so that it is equal in every run. */
function definitionOfCheck(
  check: unknown,
  promptIndex: number | undefined,
  stepId: string | undefined,
): ScoreDefinition {
  const type = isObject(check) ? check['type'] : undefined;
  const kind = kindOf(type);
  const role = isGating(check) ? 'gating' : 'advisory';
  const scope = kind?.turnScopable && promptIndex !== undefined ? turn(promptIndex) : undefined;
  const implementationHash = hashOf({ type: kind?.type, parameters: parametersOf(check), stepId });
  const place = sha256(`${implementationHash} ${role} ${scope?.promptIndex ?? ''}`);
  return {
    scorerId: `${kind?.type ?? 'check'}-${place.slice(0, 16)}`,
    idSource: 'generated',
    scorerVersion: version,
    implementationHash,
    label: kind?.type ?? 'check',
    deterministic: true,
    passThreshold: 1,
    role,
    onError: role === 'gating' ? 'fail' : 'ignore',
    onSkipped: role === 'gating' ? 'fail' : 'ignore',
    ...(scope && { scope }),
  };
}

function ours(scorerId: string, label: string, parameters: object): HashedDefinition {
  return hashed({
    scorerId,
    idSource: 'platform',
    scorerVersion: version,
    implementationHash: hashOf({ type: scorerId, parameters }),
    label,
    deterministic: true,
    passThreshold: 1,
    role: 'gating',
    onError: 'fail',
    onSkipped: 'fail',
  });
}

function judgeOf({ model, deterministic, passThreshold, rule }: PlannedJudge): HashedDefinition {
  return hashed({
    scorerId: 'goalCompletion',
    idSource: 'platform',
    scorerVersion: String(judgeTemplateVersion),
    implementationHash: hashOf({ type: 'goalCompletion', template: judgeTemplateHash, rule }),
    label: 'The goal was reached, as its judge sees it',
    deterministic,
    passThreshold,
    role: 'gating',
    onError: 'fail',
    onSkipped: 'fail',
    model,
  });
}

/** The fields of a check without its role and severity. */
function parametersOf(check: unknown): unknown {
  if (!isObject(check)) return check;
  const { role: _role, severity: _severity, ...parameters } = check;
  return parameters;
}

function hashOf(value: unknown): string {
  return sha256(canonicalText(value) ?? 'too deep to be read');
}

export function turn(promptIndex: number): TurnScope {
  return { kind: 'turn', promptIndex };
}
