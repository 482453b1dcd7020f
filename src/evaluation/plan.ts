import type { Check } from '../contract/eval-checks.ts';
import type { Step, WidgetAssertion } from '../contract/eval-steps.ts';
import { isGating } from './checks/evaluate.ts';
import type { ExpectedCall } from './matching/calls.ts';
import type { ResolvedMatchOptions } from './matching/options.ts';

/** A user prompt, or a pinned call that the case makes itself. */
interface PlannedTurn {
  promptIndex: number;
  kind: 'prompt' | 'toolCall';
  /** The user message of a prompt turn. */
  prompt?: string | undefined;
  /** The tool calls expected of the model in a prompt turn. */
  expected: readonly ExpectedCall[];
  expectedOutput?: string | undefined;
  /** Checks of this turn alone. */
  checks?: readonly unknown[] | undefined;
}

/** An assertion or widget interaction between turns. */
interface PlannedStep {
  stepId: string;
  kind: 'assert' | 'interact';
  /** Index of the preceding turn; undefined before the first turn. */
  promptIndex: number | undefined;
  /** The check that an assertion runs; undefined for steps that inspect or use a widget. */
  check: Check | undefined;
}

/** The specification of a trial: what runs and how it is graded. */
export interface TrialPlan {
  turns: readonly PlannedTurn[];
  steps: readonly PlannedStep[];
  isNegative: boolean;
  match: ResolvedMatchOptions;
  /** Checks of the case and of its suite. */
  checks: readonly unknown[];
  /** Whether a failed tool call fails the trial. Default: true. */
  failOnToolError?: boolean | undefined;
  /** Set if a judge also decides the case. The judge runs after the trial. */
  judge?: PlannedJudge | undefined;
}

export interface PlannedJudge {
  model: string;
  /** The judge counts words and calls no model. */
  deterministic: boolean;
  passThreshold: number;
  /** Identifies the judging criteria: judges with equal rules are equivalent. */
  rule: unknown;
}

/**
 * The turns of a case and the steps between them. A gating `toolCalledWith` also becomes an expected call of the
 * preceding prompt, so that the matcher reports what was called instead.
 */
export function planSteps(steps: readonly Step[]): Pick<TrialPlan, 'turns' | 'steps'> {
  const turns: (PlannedTurn & { expected: ExpectedCall[] })[] = [];
  const planned: PlannedStep[] = [];
  for (const step of steps) {
    if (step.kind === 'prompt')
      turns.push({ promptIndex: turns.length, kind: 'prompt', prompt: step.prompt, expected: [] });
    else if (step.kind === 'toolCall')
      turns.push({ promptIndex: turns.length, kind: 'toolCall', expected: [] });
    else {
      const check = step.kind === 'assert' && isCheck(step.assertion) ? step.assertion : undefined;
      const turn = turns.at(-1);
      planned.push({ stepId: step.id, kind: step.kind, promptIndex: turn?.promptIndex, check });
      if (check?.type === 'toolCalledWith' && isGating(check) && turn?.kind === 'prompt')
        turn.expected.push({
          toolName: check.toolName,
          arguments: check.args.args,
          argumentMatching: check.args.argumentMatching ?? 'partial',
        });
    }
  }
  return { turns, steps: planned };
}

/** Whether a check or step of the plan needs rendered widgets. */
export function needsWidgets({ turns, steps, checks }: TrialPlan): boolean {
  if (steps.some(({ check }) => !check)) return true;
  const all = [...checks, ...turns.flatMap((turn) => turn.checks ?? []), ...steps.map(({ check }) => check)];
  return all.some((check) => typeof check === 'object' && check !== null && isAboutWidgets(check));
}

function isAboutWidgets(check: object): boolean {
  const { type } = check as { type?: unknown };
  return typeof type === 'string' && type.startsWith('widget');
}

/** The tool of a case that consists of a single pinned call. Such a case tests whether the tool's widget renders. */
export function renderedTool(steps: readonly Step[]): string | undefined {
  const [only, another] = steps;
  return only?.kind === 'toolCall' && another === undefined ? only.toolName : undefined;
}

function isCheck(assertion: Check | WidgetAssertion): assertion is Check {
  return 'type' in assertion;
}
