import { Refusal } from '../../contract/errors.ts';
import { type Client, DrydockError } from '../client/index.ts';

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

export function isWaived({ gateWaiver }: Run): boolean {
  return gateWaiver?.active === true;
}
