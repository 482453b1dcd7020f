import { isGating, parseCheck, type TurnScope } from '../checks/evaluate.ts';
import { kindOf } from '../checks/index.ts';
import { canonicalText, isObject, sha256 } from '../json/value.ts';
import type { TrialPlan } from '../plan.ts';
import type { ScoreDefinition } from './definition.ts';

/** What a definition measures. */
export type Scorer = { definition: ScoreDefinition } & (
  | { measures: 'check'; check: unknown; promptIndex: number | undefined }
  | { measures: 'step'; stepId: string }
  | { measures: 'toolCallMatch' | 'toolErrors' | 'scriptedSteps' }
);

const version = '1';

/**
 * One scorer for each check, one for the tool calls, one for failing tools where those fail a trial, and one for the
 * steps that act on widgets or look at them. All gating ones together decide a trial.
 */
export function scorersOf(plan: TrialPlan): Scorer[] {
  const scorers: Scorer[] = plan.checks.map((check) => ({
    measures: 'check',
    check,
    promptIndex: undefined,
    definition: definitionOfCheck(check, undefined, undefined),
  }));
  for (const { promptIndex, checks = [] } of plan.turns)
    for (const check of checks)
      scorers.push({
        measures: 'check',
        check,
        promptIndex,
        definition: definitionOfCheck(check, promptIndex, undefined),
      });
  for (const { stepId, check, promptIndex } of plan.steps)
    if (check)
      scorers.push({
        measures: 'step',
        stepId,
        definition: definitionOfCheck(check, promptIndex, stepId),
      });
  const { match, isNegative } = plan;
  const expected = plan.turns.map((turn) => turn.expected);
  scorers.push({
    measures: 'toolCallMatch',
    definition: ours('toolCallMatch', 'The expected tools were called', { match, isNegative, expected }),
  });
  if (plan.failOnToolError !== false)
    scorers.push({ measures: 'toolErrors', definition: ours('toolErrors', 'No call of a tool failed', {}) });
  const scripted = plan.steps.filter(({ check }) => !check).map(({ stepId }) => stepId);
  if (scripted.length > 0)
    scorers.push({
      measures: 'scriptedSteps',
      definition: ours('scriptedSteps', 'The steps on widgets went well', { scripted }),
    });
  return scorers;
}

/** The same check in the same place has the same id in every run. */
function definitionOfCheck(
  check: unknown,
  promptIndex: number | undefined,
  stepId: string | undefined,
): ScoreDefinition {
  const type = isObject(check) ? check['type'] : undefined;
  const kind = kindOf(type);
  const role = isGating(check) ? 'gating' : 'advisory';
  const scope = kind?.turnScopable && promptIndex !== undefined ? turn(promptIndex) : undefined;
  const implementation = { type: String(type), parameters: parametersOf(check), stepId };
  const place = hashOf({ implementation, role, scope });
  return {
    scorerId: `${kind?.type ?? 'check'}-${place.slice(0, 16)}`,
    idSource: 'generated',
    scorerVersion: version,
    implementationHash: hashOf(implementation),
    label: kind?.type ?? 'check',
    deterministic: true,
    passThreshold: 1,
    role,
    onError: role === 'gating' ? 'fail' : 'ignore',
    onSkipped: role === 'gating' ? 'fail' : 'ignore',
    ...(scope && { scope }),
  };
}

function ours(scorerId: string, label: string, parameters: object): ScoreDefinition {
  return {
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
  };
}

function parametersOf(check: unknown): unknown {
  const parsed = isObject(check) ? parseCheck(check) : undefined;
  if (!parsed || 'problem' in parsed) return check;
  const { role: _role, severity: _severity, ...parameters } = parsed.check;
  return parameters;
}

function hashOf(value: unknown): string {
  return sha256(canonicalText(value) ?? 'too deep to be read');
}

export function turn(promptIndex: number): TurnScope {
  return { kind: 'turn', promptIndex };
}
