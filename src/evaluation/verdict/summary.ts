import { actionFor, runAgain } from '../stages/next-action.ts';
import type { FailureCategory, Stage } from '../stages/stage.ts';
import { type StoredChain, type VerifiedChain, verifyChain } from '../stages/verify.ts';
import { cut, hideSecrets } from '../text/show.ts';
import type { Verdict, VerdictDecision } from './decision.ts';
import type { TrialSummary } from './legacy.ts';

const terminal: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'timed_out']);
/** A trial with one of these statuses has no trace to inspect: the advice is to run it again. */
const notExecuted: ReadonlySet<string> = new Set(['pending', 'running', 'skipped', 'cancelled']);
const maxToolNames = 50;
const maxFailure = 500;

/** The facts of a run that its summary needs. */
export interface RunToSummarize {
  status: string;
  /** Whether the run is decided case by case, or by one threshold for all trials. */
  isPolicyV2: boolean;
  decision?: VerdictDecision | undefined;
  /** Why the stored decision cannot be read. */
  integrityError?: string | undefined;
  result?: string | null | undefined;
  summary?: Partial<TrialSummary> | null | undefined;
}

type DecisionCounts =
  | { measurementUnit: 'caseVariant'; total: number; passed: number; failed: number; inconclusive: number }
  | { measurementUnit: 'trial'; total?: number; passed?: number; failed?: number };

interface Undecided {
  reason: 'runNotTerminal' | 'runStatusNotAVerdict' | 'runResultNotAVerdict' | 'verdictSummaryUnavailable';
  detail?: string;
}

export interface RunVerdict {
  verdict: Verdict | 'notEstablished';
  verdictSource: 'policyV2' | 'legacy' | 'none';
  counts?: DecisionCounts;
  decision?: VerdictDecision;
  undecided?: Undecided;
}

/** The verdict of a run and its source. A run that is decided case by case never falls back to the threshold. */
export function runVerdict(run: RunToSummarize): RunVerdict {
  if (!terminal.has(run.status)) return undecided('runNotTerminal');
  if (run.isPolicyV2) {
    const { decision, integrityError } = run;
    if (!decision || integrityError !== undefined)
      return undecided('verdictSummaryUnavailable', integrityError);
    return {
      verdict: decision.verdict,
      verdictSource: 'policyV2',
      counts: variantCounts(decision),
      decision,
    };
  }
  if (run.status !== 'completed') return undecided('runStatusNotAVerdict', run.status);
  if (run.result !== 'passed' && run.result !== 'failed') return undecided('runResultNotAVerdict');
  return { verdict: run.result, verdictSource: 'legacy', counts: trialCounts(run.summary) };
}

function undecided(reason: Undecided['reason'], detail?: string): RunVerdict {
  return {
    verdict: 'notEstablished',
    verdictSource: 'none',
    undecided: { reason, ...(detail !== undefined && { detail }) },
  };
}

function variantCounts({ cases }: VerdictDecision): DecisionCounts {
  const of = (verdict: Verdict): number => cases.filter((decided) => decided.verdict === verdict).length;
  return {
    measurementUnit: 'caseVariant',
    total: cases.length,
    passed: of('passed'),
    failed: of('failed'),
    inconclusive: of('inconclusive'),
  };
}

function trialCounts(summary: Partial<TrialSummary> | null | undefined): DecisionCounts {
  const { total, passed, failed } = summary ?? {};
  return {
    measurementUnit: 'trial',
    ...(total !== undefined && { total }),
    ...(passed !== undefined && { passed }),
    ...(failed !== undefined && { failed }),
  };
}

/** A trial of a run, as it was stored. */
export interface TrialToExplain extends StoredChain {
  iterationId: string;
  iterationNumber: number;
  caseId?: string | undefined;
  testCaseId?: string | undefined;
  title?: string | undefined;
  status: string;
  result?: 'passed' | 'failed' | null | undefined;
  expectedToolCalls?: readonly { toolName: string }[] | undefined;
  actualToolCalls?: readonly { toolName: string }[] | undefined;
  error?: string | null | undefined;
}

interface DecisionEvidence {
  runId: string;
  iterationId: string;
  stage?: Stage;
  spanIds?: string[];
  promptIndexes?: number[];
  reasons?: string[];
  tracePath: string;
}

/** Why a trial did not pass, and what to do about it. */
interface DecisionDiagnostic {
  iterationId: string;
  iterationNumber: number;
  caseId?: string;
  testCaseId?: string;
  title?: string;
  status: string;
  result?: 'passed' | 'failed';
  chain: VerifiedChain;
  expected?: { toolNames: string[] };
  observed?: { toolNames?: string[]; failure?: string };
  evidence: DecisionEvidence;
  nextAction: string;
}

export interface DecisionDiagnostics {
  items: DecisionDiagnostic[];
  /** `items` contains all trials of the run that did not pass. */
  complete: boolean;
  nextCursor?: string;
  scannedIterations: number;
}

/** One page of trials. A page requested with a cursor is never complete, because earlier pages exist. */
export function decisionDiagnostics(
  place: { projectId: string; runId: string },
  trials: readonly TrialToExplain[],
  page: { cameWithCursor: boolean; nextCursor: string | undefined },
): DecisionDiagnostics {
  return {
    items: trials.filter(({ result }) => result !== 'passed').map((trial) => diagnosticOf(place, trial)),
    complete: !page.cameWithCursor && page.nextCursor === undefined,
    ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
    scannedIterations: trials.length,
  };
}

function diagnosticOf(
  place: { projectId: string; runId: string },
  trial: TrialToExplain,
): DecisionDiagnostic {
  const { iterationId, iterationNumber, caseId, testCaseId, title, status, result } = trial;
  const chain = verifyChain(trial);
  const failed = firstFailure(chain);
  const expected = toolNames(trial.expectedToolCalls);
  const actual = toolNames(trial.actualToolCalls);
  const failure = trial.error
    ? cut(hideSecrets(trial.error.slice(0, 2 * maxFailure)), maxFailure)
    : undefined;
  return {
    iterationId,
    iterationNumber,
    ...(caseId !== undefined && { caseId }),
    ...(testCaseId !== undefined && { testCaseId }),
    ...(title !== undefined && { title }),
    status,
    ...(result && { result }),
    chain,
    ...(expected.length > 0 && { expected: { toolNames: expected } }),
    ...((actual.length > 0 || failure) && {
      observed: { ...(actual.length > 0 && { toolNames: actual }), ...(failure && { failure }) },
    }),
    evidence: evidenceOf(place, iterationId, chain),
    nextAction: notExecuted.has(status)
      ? runAgain
      : actionFor(failed.category, failed.reason, {
          expectsNoCall: expected.length === 0 && actual.length > 0 && failed.wasSent,
        }),
  };
}

/** The category and reason of the first failed stage. */
function firstFailure(chain: VerifiedChain): {
  category?: FailureCategory | undefined;
  reason?: string | undefined;
  /** False for a call of an unknown tool: it is never sent and has no span. */
  wasSent: boolean;
} {
  if (chain.status !== 'verified') return { wasSent: false };
  const row = chain.stages.find(({ stage }) => stage === chain.firstFailedStage);
  return {
    category: chain.failureCategory,
    reason: row?.reason,
    wasSent: row?.evidence?.spanIds !== undefined,
  };
}

/** Uses only the row of the first failed stage. */
function evidenceOf(
  { projectId, runId }: { projectId: string; runId: string },
  iterationId: string,
  chain: VerifiedChain,
): DecisionEvidence {
  const stage = chain.status === 'verified' ? chain.firstFailedStage : undefined;
  const row = chain.status === 'verified' ? chain.stages.find((found) => found.stage === stage) : undefined;
  const { spanIds, promptIndexes, predicateReasons } = row?.evidence ?? {};
  return {
    runId,
    iterationId,
    ...(stage && { stage }),
    ...(spanIds && { spanIds }),
    ...(promptIndexes && { promptIndexes }),
    ...(predicateReasons && { reasons: predicateReasons }),
    tracePath: `/projects/${projectId}/eval-runs/${runId}/iterations/${iterationId}/trace`,
  };
}

function toolNames(calls: readonly { toolName: string }[] = []): string[] {
  return [...new Set(calls.map(({ toolName }) => toolName))].slice(0, maxToolNames);
}
