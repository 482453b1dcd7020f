import type { Output } from '../../api/index.ts';
import { counted } from '../../kit/numbers.ts';
import type { State } from '../../kit/state.tsx';

export type Comparison = Output<'compareEvalRun'>;
export type Compared = Comparison['cases'][number];
export type Diff = Compared['metrics']['durationMs'];

const states: Record<Compared['status'], { state: State; words: string }> = {
  regressed: { state: 'failed', words: 'regressed' },
  unchanged_failed: { state: 'failed', words: 'still fails' },
  not_measured: { state: 'notMeasured', words: 'not measured' },
  changed: { state: 'inconclusive', words: 'changed' },
  fixed: { state: 'passed', words: 'fixed' },
  new_case: { state: 'pending', words: 'new' },
  removed_case: { state: 'skipped', words: 'removed' },
  unchanged_passed: { state: 'passed', words: 'still passes' },
};

export function stateOfCase({ status, base, compare }: Compared): { state: State; words: string } {
  if (status !== 'changed') return states[status];
  const [before, now] = [base.outcome, compare.outcome];
  return {
    state: states.changed.state,
    words: `edited, ${before === now ? 'still' : 'now'} ${now}`,
  };
}

/** Whether the status or configuration of a case changed, or its pass rate significantly. */
export function isChanged({ status, difference, configChanged }: Compared): boolean {
  return !status.startsWith('unchanged') || difference?.significant === true || configChanged;
}

/** Worst status first; cases with the same status keep their order. */
export function inOrder(cases: readonly Compared[]): Compared[] {
  const order = Object.keys(states);
  return cases.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
}

/** Summarizes the changes of cases in one sentence. */
export function summaryText({ cases }: Comparison): string {
  const of = (...statuses: Compared['status'][]): number =>
    cases.filter(({ status }) => statuses.includes(status)).length;
  const parts = [
    [of('regressed'), 'regressed'],
    [of('fixed'), 'fixed'],
    [of('not_measured'), 'not measured'],
    [of('changed'), 'changed'],
    [of('new_case'), 'new'],
    [of('removed_case'), 'removed'],
  ].flatMap(([amount, word]) => (amount === 0 ? [] : [`${amount} ${word}`]));
  const same = of('unchanged_passed', 'unchanged_failed');
  const rest = `${counted(same, 'case')} unchanged`;
  return parts.length === 0 ? `Nothing changed: ${rest}.` : `${parts.join(', ')}; ${rest}.`;
}

/** In percentage points, with a sign. */
export function pointsText(change: number): string {
  const points = Math.round(change * 1000) / 10;
  return points === 0 ? 'no change' : `${signed(points)} points`;
}

/** Describes the statistical significance of a difference. */
export function chanceText(difference: {
  significant: boolean;
  p: number | null;
  adjustedP?: number | null;
}): string {
  const p = difference.adjustedP ?? difference.p;
  if (p === null) return 'too few trials';
  const shown = p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`;
  return difference.significant ? `significant, ${shown}` : `not significant, ${shown}`;
}

/** `+120 ms (+30%)`; undefined if one side is missing. */
export function deltaText(
  { delta, percentDelta }: Diff,
  show: (value: number) => string,
): string | undefined {
  if (delta === null) return undefined;
  if (delta === 0) return 'the same';
  const share = percentDelta === null ? '' : ` (${signed(Math.round(percentDelta))}%)`;
  return `${delta > 0 ? '+' : '−'}${show(Math.abs(delta))}${share}`;
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : value < 0 ? `−${Math.abs(value)}` : '0';
}
