import { Refusal } from '../../../contract/errors.ts';
import { type Client, DrydockError } from '../../client/index.ts';
import { exitCodes } from '../exit-codes.ts';

export type Run = Awaited<ReturnType<Client['getEvalRun']>>;
type Comparison = Awaited<ReturnType<Client['compareEvalRun']>>;
type Gate = Awaited<ReturnType<Client['getEvalRunGate']>>;

/** What there is to say about a run that is over. */
export interface Findings {
  suite: { id: string; name: string };
  run: Run;
  /** With the run before it, where there is one. */
  comparison: Comparison | undefined;
  gate: Gate;
}

export async function findingsOf(
  api: Client,
  { projectId, runId }: { projectId: string; runId: string },
): Promise<Findings> {
  const which = { projectId, runId };
  const run = await api.getEvalRun(which);
  const suite = await api.getEvalSuite({ projectId, suiteId: run.suiteId });
  const comparison = await api.compareEvalRun(which).catch((error: unknown) => {
    if ((error instanceof Refusal || error instanceof DrydockError) && error.code === 'NOT_FOUND')
      return undefined;
    throw error;
  });
  return {
    suite: { id: suite.id, name: suite.name ?? suite.id },
    run,
    comparison,
    gate: await api.getEvalRunGate(which),
  };
}

/** What decides, the weightiest first: a failure, then whatever is missing. A waiver covers the verdict, not the gate. */
export function exitCodeOf({ run, gate }: Findings): number {
  const { verdict } = run.decisionSummary;
  if ((verdict === 'failed' && !isWaived(run)) || gate.outcome === 'failed') return exitCodes.failed;
  const decided = verdict === 'passed' || verdict === 'failed';
  return decided && gate.outcome !== 'non_gateable' ? exitCodes.passed : exitCodes.incomplete;
}

export function isWaived({ gateWaiver }: Run): boolean {
  return gateWaiver?.active === true;
}
