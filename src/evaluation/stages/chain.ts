import { isObject } from '../../platform/json/is-object.ts';
import { isGating } from '../checks/evaluate.ts';
import { cutShortBy } from '../outcome.ts';
import {
  type FailureCategory,
  type Stage,
  type StageEvidence,
  type StageReason,
  type StageResult,
  type StageState,
  stageAnalyzerVersion,
  stages,
} from '../stage.ts';
import { cut } from '../text/show.ts';
import { type Fault, type Findings, faultsOf, stageOfCheck } from './faults.ts';

const maxItems = 5;
const maxReason = 500;

/** The results of the stages of a trial. Stages after the first failure are `notReached`. */
export interface StageChain {
  /** One for each stage, in their order. */
  stageResults: StageResult[];
  firstFailedStage?: Stage;
  failureCategory?: FailureCategory;
  stageAnalyzerVersion: number;
}

/**
 * Finds the first stage at which a trial failed. Later stages are not judged. In a trial that was cut short, a missing
 * event is not a failure.
 */
export function stageChain(findings: Findings): StageChain {
  const cutShort = cutShortBy(findings.outcome);
  const all = faultsOf(findings);
  const isWithdrawn = ({ byAbsence = false }: Fault): boolean => cutShort !== undefined && byAbsence;
  const faults = all.filter((fault) => !isWithdrawn(fault));
  const withdrawn = new Set(all.filter(isWithdrawn).map(({ stage }) => stage));
  const view: View = { ...findings, faults, withdrawn, cutShort };

  const firstFailedStage = stages.find((stage) => faults.some((fault) => fault.stage === stage));
  const failedAt = firstFailedStage ? stages.indexOf(firstFailedStage) : stages.length;
  const stageResults = stages.map((stage, at): StageResult => {
    if (at > failedAt) return { stage, state: 'notReached', reason: 'earlierStageFailed' };
    if (at === failedAt) return failedRow(stage, faults);
    const [state, reason] = rowOf(stage, view);
    return { stage, state, reason };
  });
  const failureCategory = faults.find(({ stage }) => stage === firstFailedStage)?.category ?? unfiled(view);
  return {
    stageResults,
    ...(firstFailedStage && { firstFailedStage }),
    ...(failureCategory && { failureCategory }),
    stageAnalyzerVersion,
  };
}

interface View extends Findings {
  faults: readonly Fault[];
  /** Stages where something is missing that may have been cut off. */
  withdrawn: ReadonlySet<Stage>;
  cutShort: 'providerError' | 'lifecycleStopped' | undefined;
}

type Row = [StageState, StageReason];

function failedRow(stage: Stage, faults: readonly Fault[]): StageResult {
  const here = faults.filter((fault) => fault.stage === stage);
  const reason = here[0]?.reason ?? 'predicateFailed';
  const spanIds = first(here.flatMap((fault) => fault.spanIds ?? []));
  const promptIndexes = first(here.flatMap((fault) => fault.promptIndexes ?? []));
  const predicateReasons = first(
    here.flatMap(({ text }) => (text === undefined ? [] : [cut(text, maxReason)])),
  );
  const evidence: StageEvidence = {
    ...(spanIds.length > 0 && { spanIds }),
    ...(promptIndexes.length > 0 && { promptIndexes }),
    ...(predicateReasons.length > 0 && { predicateReasons }),
  };
  return { stage, state: 'failed', reason, ...(Object.keys(evidence).length > 0 && { evidence }) };
}

function first<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)].slice(0, maxItems);
}

/** The result of a stage without a fault, before any failed stage. */
function rowOf(stage: Stage, view: View): Row {
  if (!applies(stage, view)) return ['notApplicable', 'notAuthored'];
  if (hasErrorAt(stage, view)) return ['notMeasured', 'evaluatorError'];
  if (stage === 'connection' || stage === 'discovery') return setupRow(stage, view);
  if (view.outcome.status === 'setup_failed' || view.outcome.setupFailure)
    return ['notMeasured', 'setupAborted'];
  if (view.withdrawn.has(stage)) return ['notMeasured', view.cutShort ?? 'noEvidenceCaptured'];
  if (stage === 'userValue') return userValueRow(view);
  if (isObserved(stage, view)) return ['passed', 'observed'];
  return ['notMeasured', view.cutShort ?? 'noEvidenceCaptured'];
}

function setupRow(stage: 'connection' | 'discovery', { outcome, cutShort }: View): Row {
  const { setupFailure, evidence } = outcome;
  if (setupFailure) {
    const cameAfter = stage === 'connection' && setupFailure.phase === 'discovery';
    return cameAfter ? ['passed', 'impliedByLaterEvidence'] : ['notMeasured', 'setupAborted'];
  }
  if (outcome.status === 'setup_failed') return ['notMeasured', 'setupAborted'];
  if (evidence.declarations.state !== 'absent' || evidence.inventory.state !== 'absent')
    return ['passed', 'observed'];
  if (evidence.toolResults.items.length > 0) return ['passed', 'impliedByLaterEvidence'];
  return ['notMeasured', cutShort ?? 'noEvidenceCaptured'];
}

function userValueRow(view: View): Row {
  const { plan, outcome, cutShort } = view;
  if (cutShort) return ['notMeasured', cutShort];
  if (outcome.judge === 'pending') return ['notMeasured', 'judgePending'];
  if (outcome.judge === 'error') return ['notMeasured', 'judgeFailed'];
  if (outcome.judge === 'partial') return ['notMeasured', 'judgePartial'];
  if (outcome.judge === 'passed') return ['passed', 'judgeObserved'];
  const scripted = plan.steps.some(({ check }) => !check);
  return scripted || gatingRowsAt('userValue', view).length > 0
    ? ['passed', 'observed']
    : ['notMeasured', 'judgeNotRequested'];
}

/** Whether the stage has evidence; without faults, this means that it passed. */
function isObserved(stage: Stage, { plan, outcome, matches, cutShort }: View): boolean {
  const { toolCalls, toolResults, renders } = outcome.evidence;
  if (stage === 'selection')
    return !cutShort || plan.turns.some((turn, at) => turn.expected.length > 0 && matches[at]);
  if (stage === 'call') return toolCalls.length > 0 || (plan.isNegative && !cutShort);
  return toolResults.items.length > 0 || renders.some(({ status }) => status === 'rendered');
}

function applies(stage: Stage, view: View): boolean {
  const { plan, outcome, rows } = view;
  const asks = plan.turns.some(({ kind }) => kind === 'prompt');
  const rendering = rows.some(
    ({ predicate }) => isObject(predicate) && predicate['type'] === 'widgetRendered',
  );
  switch (stage) {
    case 'connection':
    case 'discovery':
      return true;
    case 'selection':
      return asks;
    case 'call':
      return (
        plan.isNegative ||
        plan.turns.some(({ kind, expected }) => kind === 'toolCall' || expected.length > 0) ||
        gatingRowsAt('call', view).length > 0
      );
    case 'response':
      return (
        applies('call', view) ||
        rendering ||
        outcome.evidence.toolErrors.length > 0 ||
        gatingRowsAt('response', view).length > 0
      );
    case 'userValue':
      return asks || rendering || rows.length > 0 || plan.steps.length > 0;
  }
}

function gatingRowsAt(stage: Stage, { rows }: View): Findings['rows'] {
  return rows.filter(({ predicate }) => isGating(predicate) && stageOfCheck(predicate) === stage);
}

function hasErrorAt(stage: Stage, view: View): boolean {
  return gatingRowsAt(stage, view).some(({ status }) => status === 'error');
}

/** The failure category of a trial without a failed stage: its setup or provider, or the evaluation of a check. */
function unfiled({ outcome, cutShort, withdrawn, evaluatorError }: View): FailureCategory | undefined {
  if (outcome.setupFailure || outcome.status === 'setup_failed') return 'setup';
  if (cutShort === 'providerError' && (outcome.status !== 'completed' || withdrawn.size > 0)) return 'setup';
  return evaluatorError ? 'evaluator' : undefined;
}
