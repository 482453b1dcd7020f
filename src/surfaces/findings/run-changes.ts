import { oneLine } from '../common/harmless-text.ts';
import type { ReportTable } from './report.ts';
import { type Findings, maxExplained, percent } from './run-findings.ts';

type Compared = Pick<Findings, 'comparison'>;

/** Cases whose outcome is not the same as in the compared run. */
function changesOf({ comparison }: Compared) {
  return (comparison?.cases ?? []).filter(({ status }) => !status.startsWith('unchanged'));
}

export function changeOf({ status }: { status: string }): string {
  return status.replace('_', ' ');
}

export function changeLines(findings: Compared & Pick<Findings, 'notCompared'>): string[] {
  const { comparison, notCompared } = findings;
  if (!comparison) return notCompared === undefined ? [] : [`${notCompared}.`];
  const { baseRun, difference, cases } = comparison;
  const changes = changesOf(findings);
  const of = (word: string): number => changes.filter((one) => changeOf(one) === word).length;
  const unmeasured = of('not measured');
  const both = cases.filter(({ base, compare }) => base.trials > 0 && compare.trials > 0);
  const among = both.length === cases.length ? '' : ` over the ${both.length} cases measured in both`;
  const rates =
    both.length === 0
      ? ''
      : `, pass rate ${percent(rateOf(both.map(({ base }) => base)))} to ${percent(rateOf(both.map(({ compare }) => compare)))}${among}`;
  const changed = difference && difference.change !== 0;
  const chance = changed ? ` (p = ${shownP(difference.p)}, ${beyondChance(difference.significant)})` : '';
  const missing = unmeasured > 0 ? `, ${unmeasured} not measured` : '';
  return [
    `Since run ${baseRun.runNumber}: ${of('regressed')} regressed, ${of('fixed')} fixed${missing}${rates}${chance}.`,
    ...changes.slice(0, maxExplained).map((one) => {
      const { title, difference: own } = one;
      const p = own?.adjustedP;
      return `  ${changeOf(one)}: ${oneLine(title, 100)}${p == null ? '' : ` (p = ${shownP(p)})`}`;
    }),
  ];
}

function rateOf(sides: readonly { passed: number; trials: number }[]): number {
  const sum = (figure: 'passed' | 'trials'): number => sides.reduce((total, side) => total + side[figure], 0);
  return sum('passed') / sum('trials');
}

export function changesTable(findings: Compared): ReportTable {
  return {
    heading: `What changed since run ${findings.comparison?.baseRun.runNumber ?? ''}`,
    columns: ['Case', 'Change', 'Was', 'Is', 'Chance'],
    rows: changesOf(findings).map(({ title, status, base, compare, difference }) => [
      title,
      changeOf({ status }),
      `${base.passed}/${base.trials}`,
      `${compare.passed}/${compare.trials}`,
      difference?.adjustedP == null ? '-' : `p = ${shownP(difference.adjustedP)}`,
    ]),
  };
}

function shownP(p: number): string {
  return p < 0.001 ? '<0.001' : p.toFixed(3);
}

function beyondChance(significant: boolean): string {
  return significant ? 'more than chance' : 'may be chance';
}
