import type { CheckType } from '../../contract/eval-checks.ts';
import { type CheckRow, isGating } from '../checks/evaluate.ts';
import { kindOf } from '../checks/index.ts';
import { evidenceOfTurn, isServersAnswer, type ToolCall, type ToolError } from '../evidence.ts';
import { isObject } from '../json/value.ts';
import type { TurnMatch } from '../matching/calls.ts';
import type { TrialOutcome } from '../outcome.ts';
import type { TrialPlan } from '../plan.ts';
import { hideSecrets, quote } from '../text/show.ts';
import type { FailureCategory, Stage, StageReason } from './stage.ts';

/** A failure and its stage. */
export interface Fault {
  stage: Stage;
  reason: StageReason;
  category: FailureCategory;
  /** The fault may be due only to a trial that was cut short. */
  byAbsence?: boolean;
  spanIds?: string[];
  promptIndexes?: number[];
  text?: string;
}

export interface Findings {
  plan: TrialPlan;
  outcome: TrialOutcome;
  /** One for each turn of the plan. */
  matches: readonly TurnMatch[];
  /** Results of all checks and assertions. */
  rows: readonly CheckRow[];
  /** A gating check could not be evaluated. */
  evaluatorError: boolean;
}

const categoryOfStage: Readonly<Record<Stage, FailureCategory>> = {
  connection: 'setup',
  discovery: 'metadata',
  selection: 'selection',
  call: 'arguments',
  response: 'serverData',
  userValue: 'userValue',
};

/** Overrides the stage, reason or category of some check kinds. */
const special: Partial<Record<CheckType, Partial<Pick<Fault, 'stage' | 'reason' | 'category'>>>> = {
  toolCalledAtLeastOnce: { reason: 'missingToolCall' },
  firstToolWas: { reason: 'unexpectedToolCall' },
  toolNeverCalled: { reason: 'unexpectedToolCall' },
  onlyToolsCalled: { reason: 'unexpectedToolCall' },
  widgetRendered: { stage: 'response', reason: 'renderFailed' },
  toolInputSchemasWellFormed: { category: 'metadata' },
  toolOutputSchemasPresent: { category: 'metadata' },
};

/** The stage to which a failure of a check is attributed. */
export function stageOfCheck(predicate: unknown): Stage {
  const kind = kindOf(isObject(predicate) ? predicate['type'] : undefined);
  return (kind && special[kind.type]?.stage) ?? kind?.stage ?? 'userValue';
}

/** All faults in order; the first of each stage provides its reason and category. */
export function faultsOf(findings: Findings): Fault[] {
  return [
    ...setupFaults(findings),
    ...matchFaults(findings),
    ...toolFaults(findings),
    ...checkFaults(findings),
    ...scriptFaults(findings),
    ...judgeFaults(findings),
  ];
}

function setupFaults({ outcome: { setupFailure } }: Findings): Fault[] {
  if (setupFailure?.attributed !== 'server') return [];
  const { phase: stage, message } = setupFailure;
  const reason = stage === 'connection' ? 'connectFailed' : 'toolsListFailed';
  return [{ stage, reason, category: 'setup', ...(message && { text: hideSecrets(message) }) }];
}

function matchFaults({ plan, matches }: Findings): Fault[] {
  const faults: Fault[] = [];
  plan.turns.forEach(({ promptIndex }, at) => {
    const match = matches[at];
    if (!match || match.passed) return;
    const promptIndexes = [promptIndex];
    if (match.missing.length > 0)
      faults.push({
        stage: 'selection',
        reason: 'missingToolCall',
        category: 'selection',
        byAbsence: true,
        promptIndexes,
      });
    if (match.argumentMismatches.length > 0)
      faults.push({
        stage: 'call',
        reason: 'argumentMismatch',
        category: 'arguments',
        spanIds: match.argumentMismatches.map(({ toolCallId }) => spanOf(toolCallId)),
        promptIndexes,
      });
    else if (match.unexpected.length > 0)
      faults.push({
        stage: 'selection',
        reason: 'unexpectedToolCall',
        category: 'selection',
        // An unexpected call counts as a fault by absence if an expected call is missing.
        byAbsence: match.missing.length > 0,
        spanIds: match.unexpected.map(({ toolCallId }) => spanOf(toolCallId)),
        promptIndexes,
      });
  });
  return faults;
}

/** Reports failed calls even if they do not fail the trial. */
function toolFaults({ outcome: { evidence } }: Findings): Fault[] {
  const unsent = new Map(
    evidence.toolCalls.flatMap((call) => (call.invalid === undefined ? [] : [[call.toolCallId, call]])),
  );
  return evidence.toolErrors.map((error): Fault => {
    const promptIndexes = [error.promptIndex];
    const text = hideSecrets(error.message.slice(0, 1000));
    const call = unsent.get(error.toolCallId);
    if (call) return { ...filedMistake(call), promptIndexes, text: `${quote(call.toolName)}: ${text}` };
    return { ...filedError(error), spanIds: [spanOf(error.toolCallId)], promptIndexes, text };
  });
}

function filedError({ kind, code }: ToolError): Pick<Fault, 'stage' | 'reason' | 'category'> {
  if (kind === 'content') return { stage: 'response', reason: 'toolError', category: 'serverData' };
  const category = isServersAnswer(code) ? 'serverData' : 'setup';
  return { stage: 'call', reason: 'protocolError', category };
}

/**
 * A call that never reached a server is a mistake of the model: the tool does not exist, or the arguments cannot be
 * read.
 */
function filedMistake({ unknownTool }: ToolCall): Pick<Fault, 'stage' | 'reason' | 'category'> {
  return unknownTool
    ? { stage: 'selection', reason: 'unexpectedToolCall', category: 'selection' }
    : { stage: 'call', reason: 'argumentMismatch', category: 'arguments' };
}

function checkFaults({ rows, outcome: { evidence } }: Findings): Fault[] {
  const failed = rows.filter(
    ({ predicate, passed, status }) => !passed && status === undefined && isGating(predicate),
  );
  return failed.map(({ predicate, scope, reason: text }): Fault => {
    const kind = kindOf(isObject(predicate) ? predicate['type'] : undefined);
    const judged = scope ? evidenceOfTurn(evidence, scope.promptIndex) : evidence;
    const common = {
      text,
      byAbsence: kind?.failsByAbsence?.(predicate as never, judged) ?? false,
      ...(scope && { promptIndexes: [scope.promptIndex] }),
    };
    if (kind?.type === 'toolCalledWith')
      return { ...common, ...filedExpectation(predicate, judged.toolCalls) };
    const stage = stageOfCheck(predicate);
    const { reason = 'predicateFailed', category = categoryOfStage[stage] } =
      (kind && special[kind.type]) ?? {};
    return { stage, reason, category, ...common };
  });
}

/** If the tool was called with other arguments, the selection was right and the call is at fault. */
function filedExpectation(
  predicate: unknown,
  calls: readonly { toolName: string }[],
): Pick<Fault, 'stage' | 'reason' | 'category'> {
  const { toolName } = predicate as { toolName?: unknown };
  return calls.some((call) => call.toolName === toolName)
    ? { stage: 'call', reason: 'argumentMismatch', category: 'arguments' }
    : { stage: 'selection', reason: 'missingToolCall', category: 'selection' };
}

/** Failed steps that inspect or use a widget fail the `userValue` stage. */
function scriptFaults({ plan, outcome }: Findings): Fault[] {
  const scripted = new Map(plan.steps.filter(({ check }) => !check).map((step) => [step.stepId, step]));
  return outcome.steps
    .filter(
      ({ stepId, status, row }) => status === 'fail' && row?.status === undefined && scripted.has(stepId),
    )
    .map(({ stepId, reason }): Fault => {
      const promptIndex = scripted.get(stepId)?.promptIndex;
      return {
        stage: 'userValue',
        reason: 'predicateFailed',
        category: 'userValue',
        ...(reason && { text: reason }),
        ...(promptIndex !== undefined && { promptIndexes: [promptIndex] }),
      };
    });
}

function judgeFaults({ outcome: { judge } }: Findings): Fault[] {
  return judge === 'failed' ? [{ stage: 'userValue', reason: 'judgeObserved', category: 'userValue' }] : [];
}

/** The ID of a call's span in the trace. */
function spanOf(toolCallId: string): string {
  return `tool-${toolCallId}`;
}
