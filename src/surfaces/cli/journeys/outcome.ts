import { type Client, eachItem } from '../../client/index.ts';
import { orNothing } from '../../findings/or-nothing.ts';
import { oneLine } from '../../harmless-text.ts';
import { exitCodes } from '../exit-codes.ts';

type Run = Awaited<ReturnType<Client['getJourneyRun']>>;
export type Target = Run['targets'][number];
type Scorecard = Awaited<ReturnType<Client['getJourneyRunScorecard']>>;
type Finding = Awaited<ReturnType<Client['listSwarmFindings']>>['items'][number];

/** What there is to say about a journey run that is over. */
export interface Outcome {
  run: Run;
  /** Where it has a rubric. */
  scorecard: Scorecard | undefined;
  /** What its wave shows and the one before did not. */
  findings: Finding[];
}

export async function outcomeOf(
  api: Client,
  which: { projectId: string; journeyRunId: string },
): Promise<Outcome> {
  const run = await api.getJourneyRun(which);
  const scorecard = await orNothing(api.getJourneyRunScorecard(which));
  const findings: Finding[] = [];
  for await (const finding of eachItem(api.listSwarmFindings, { projectId: which.projectId })) {
    // Those changed last come first, and the run changes none before it is launched.
    if (finding.updatedAt < run.createdAt) break;
    const isNews = finding.status === 'new' || finding.status === 'regressed';
    if (isNews && finding.lastSeenWaveId === run.waveId && finding.dismissedAt === null)
      findings.push(finding);
  }
  return { run, scorecard, findings };
}

/** People know an environment by its name, a client by its own. */
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

/** What the run was decided by; the contract leaves open what is in a decision. */
export function decisionsOf({ report }: Run): TargetDecision[] {
  return (report?.decision?.['cases'] ?? []) as TargetDecision[];
}

/** The verdict in words, and what the command ends with. A run that was cut off has none, whatever it had measured. */
export function verdictOf(run: Run): { words: string; exitCode: number } {
  const { status, report } = run;
  const none = (why: string) => ({ words: `NO VERDICT: ${why}`, exitCode: exitCodes.incomplete });
  if (run.canceled) return none('the run was cancelled');
  if (run.stale) return none('nobody worked on the run any more, so it was ended');
  const cases = decisionsOf(run);
  const passed = cases.filter(({ verdict }) => verdict === 'passed').length;
  const tally = `(${passed} of ${cases.length} targets passed)`;
  if (report?.verdict === 'passed') return { words: `PASSED ${tally}`, exitCode: exitCodes.passed };
  if (report?.verdict === 'failed') return { words: `FAILED ${tally}`, exitCode: exitCodes.failed };
  if (status === 'rate_limited') return none('a limit ended every session');
  if (status === 'failed') return { words: 'FAILED: every session broke off', exitCode: exitCodes.failed };
  if (report?.verdict === 'inconclusive') {
    const reasons = report.decision?.reasons ?? [];
    const words = `INCONCLUSIVE: too little was measured to decide (${reasons.join(', ')})`;
    return { words, exitCode: exitCodes.incomplete };
  }
  if (report?.undecidedReason === 'gradingNotConfigured')
    return none(
      'nothing grades the sessions. Give the journey a rubric, or host a language model that judges the goal',
    );
  return none(`the run is ${status} (${report?.undecidedReason ?? 'no reason'})`);
}
