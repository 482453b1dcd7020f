import type { Output } from '../../api/index.ts';
import type { State } from '../../kit/state.tsx';
import { isOpen, stateOfRun } from '../runs/states.ts';

type Suite = Pick<Output<'listEvalSuites'>['items'][number], 'id' | 'name'>;
type Run = Pick<
  Output<'listEvalRuns'>['items'][number],
  'id' | 'suiteId' | 'runNumber' | 'status' | 'result' | 'summary' | 'createdAt'
>;
type Waiver = Pick<NonNullable<Output<'getGateWaiver'>['waiver']>, 'active' | 'expiresAt' | 'reason'>;

/** An item in “Needs attention”. */
export interface Item {
  key: string;
  state: State;
  name: string;
  runId?: string;
  serverId?: string;
  words: string;
  at: number;
}

/** Milliseconds. Waivers that expire within this time need attention. */
const expiringWithin = 7 * 86_400_000;

/** The latest ended run of each suite, if it did not pass. Cancelled runs are ignored. */
export function failingRuns<One extends Run>(runs: readonly One[]): One[] {
  const seen = new Set<string>();
  return runs
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .filter((run) => {
      if (isOpen(run) || run.status === 'cancelled' || seen.has(run.suiteId)) return false;
      seen.add(run.suiteId);
      return run.result !== 'passed';
    });
}

/** Failures first, then expiring waivers, then servers. */
export function attentionOf(known: {
  suites: readonly Suite[];
  runs: readonly Run[];
  /** Keyed by run ID. */
  waivers: ReadonlyMap<string, Waiver | null>;
  servers: readonly {
    id: string;
    name: string;
    health: { state: State; word: string; detail: string; at: number };
  }[];
  now: number;
}): Item[] {
  const names = new Map(known.suites.map(({ id, name }) => [id, name ?? id]));
  const failing: Item[] = [];
  const waived: Item[] = [];
  for (const run of failingRuns(known.runs)) {
    const waiver = known.waivers.get(run.id);
    const item = {
      key: run.id,
      name: `${names.get(run.suiteId) ?? 'Suite'} #${run.runNumber}`,
      runId: run.id,
    };
    if (!waiver?.active)
      failing.push({ ...item, state: stateOfRun(run), words: wordsOf(run, waiver), at: run.createdAt });
    else if (waiver.expiresAt - known.now < expiringWithin)
      waived.push({
        ...item,
        state: 'waived',
        words: `${endText(waiver.expiresAt - known.now)}: ${waiver.reason}`,
        at: waiver.expiresAt,
      });
  }
  const ill = known.servers
    .filter(({ health }) => health.state !== 'passed')
    .map(({ id, name, health }) => ({
      key: id,
      name,
      serverId: id,
      state: health.state,
      words: [health.word, health.detail].filter(Boolean).join(': '),
      at: health.at,
    }));
  return [...failing, ...waived.toSorted((a, b) => a.at - b.at), ...ill];
}

function wordsOf({ summary, status }: Run, waiver: Waiver | null | undefined): string {
  const ended = waiver ? '; its waiver has expired' : '';
  if (!summary || summary.total === 0)
    return `${status === 'completed' ? 'No verdict' : 'Did not complete'}${ended}`;
  const left = summary.notRun ? `, ${summary.notRun} not run` : '';
  return `${summary.passed} of ${summary.total} trials passed${left}${ended}`;
}

function endText(left: number): string {
  const hours = Math.max(1, Math.ceil(left / 3_600_000));
  return hours <= 48
    ? `Waiver expires within ${hours} h`
    : `Waiver expires within ${Math.ceil(hours / 24)} days`;
}
