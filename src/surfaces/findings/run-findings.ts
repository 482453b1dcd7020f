import type { Client } from '../client/index.ts';
import { orNothing } from './or-nothing.ts';

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
  const comparison = await orNothing(api.compareEvalRun(which));
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
