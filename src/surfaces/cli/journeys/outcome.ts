import { type Client, eachItem } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { undefinedIfNotFound } from '../../findings/undefined-if-not-found.ts';
import { exitCodes } from '../exit-codes.ts';

type Run = Awaited<ReturnType<Client['getJourneyRun']>>;
export type Target = Run['targets'][number];
type Scorecard = Awaited<ReturnType<Client['getJourneyRunScorecard']>>;
type Finding = Awaited<ReturnType<Client['listSwarmFindings']>>['items'][number];

/** The results of a journey run that is over. */
export interface Outcome {
  run: Run;
  /** Present if the journey has a rubric. */
  scorecard: Scorecard | undefined;
  /** Findings that are new or regressed in the wave of the run. */
  findings: Finding[];
}

export async function outcomeOf(
  api: Client,
  which: { projectId: string; journeyRunId: string },
): Promise<Outcome> {
  const run = await api.getJourneyRun(which);
  const scorecard = await undefinedIfNotFound(api.getJourneyRunScorecard(which));
  const findings: Finding[] = [];
  for await (const finding of eachItem(api.listSwarmFindings, { projectId: which.projectId })) {
    // Findings are sorted by last update, and a run updates none before it is created.
    if (finding.updatedAt < run.createdAt) break;
    const isNews = finding.status === 'new' || finding.status === 'regressed';
    if (isNews && finding.lastSeenWaveId === run.waveId && finding.dismissedAt === null)
      findings.push(finding);
  }
  return { run, scorecard, findings };
}

export function labelOf({ environmentName, hostName, hostId }: Target, most: number): string {
  return oneLine(environmentName ?? hostName ?? hostId, most);
}

interface TargetDecision {
  caseId: string;
  verdict: string;
  eligibleTrials: number;
  passedTrials: number;
  effectivePassThreshold: number;
}

/** The per-target decisions. The contract does not type the contents of a decision. */
export function decisionsOf({ report }: Run): TargetDecision[] {
  return (report?.decision?.['cases'] ?? []) as TargetDecision[];
}

/** The verdict as text, and the exit code. A cancelled or stale run has no verdict. */
export function verdictOf(run: Run): { words: string; exitCode: number } {
  const { status, report } = run;
  const none = (why: string) => ({ words: `NO VERDICT: ${why}`, exitCode: exitCodes.incomplete });
  if (run.canceled) return none('the run was cancelled');
  if (run.stale) return none('the run was abandoned by its worker and ended');
  const cases = decisionsOf(run);
  const passed = cases.filter(({ verdict }) => verdict === 'passed').length;
  const tally = `(${passed} of ${cases.length} targets passed)`;
  if (report?.verdict === 'passed') return { words: `PASSED ${tally}`, exitCode: exitCodes.passed };
  if (report?.verdict === 'failed') return { words: `FAILED ${tally}`, exitCode: exitCodes.failed };
  if (status === 'rate_limited') return none('every session was ended by a rate limit');
  if (status === 'failed')
    return { words: 'FAILED: every session ended with an error', exitCode: exitCodes.failed };
  if (report?.verdict === 'inconclusive') {
    const reasons = report.decision?.reasons ?? [];
    const words = `INCONCLUSIVE: too little was measured to decide (${reasons.join(', ')})`;
    return { words, exitCode: exitCodes.incomplete };
  }
  if (report?.undecidedReason === 'gradingNotConfigured')
    return none(
      'grading is not configured. Add a rubric to the journey, or configure a hosted model to judge the goal',
    );
  return none(`the run is ${status} (${report?.undecidedReason ?? 'no reason'})`);
}
