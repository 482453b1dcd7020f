import { Refusal } from '../../contract/errors.ts';
import { type Client, DrydockError } from '../client/index.ts';

export type EvalRun = Awaited<ReturnType<Client['getEvalRun']>>;
type Comparison = Awaited<ReturnType<Client['compareEvalRun']>>;
type Gate = Awaited<ReturnType<Client['getEvalRunGate']>>;

/** Everything that a report says about a finished run. */
export interface Findings {
  suite: { id: string; name: string };
  run: EvalRun;
  /** The comparison with the previous run of the same configuration, if there is one. */
  comparison: Comparison | undefined;
  /** Why there is no comparison; also undefined for a run that did not complete. */
  notCompared: string | undefined;
  gate: Gate;
}

export async function findingsOf(
  api: Client,
  { projectId, runId }: { projectId: string; runId: string },
): Promise<Findings> {
  const which = { projectId, runId };
  const run = await api.getEvalRun(which);
  const suite = await api.getEvalSuite({ projectId, suiteId: run.suiteId });
  const { comparison, notCompared } =
    run.status === 'completed'
      ? await comparisonOf(api, which)
      : { comparison: undefined, notCompared: undefined };
  return {
    suite: { id: suite.id, name: suite.name ?? suite.id },
    run,
    comparison,
    notCompared,
    gate: await api.getEvalRunGate(which),
  };
}

async function comparisonOf(
  api: Client,
  which: { projectId: string; runId: string },
): Promise<Pick<Findings, 'comparison' | 'notCompared'>> {
  try {
    return { comparison: await api.compareEvalRun(which), notCompared: undefined };
  } catch (error) {
    const isRefused = error instanceof Refusal || error instanceof DrydockError;
    if (!isRefused || error.code !== 'NOT_FOUND') throw error;
    return { comparison: undefined, notCompared: error.message };
  }
}

export function isWaived({ gateWaiver }: EvalRun): boolean {
  return gateWaiver?.active === true;
}

export const maxExplained = 5;

export function percent(rate: number | null): string {
  return rate === null ? '-' : `${Math.round(rate * 1000) / 10}%`;
}
