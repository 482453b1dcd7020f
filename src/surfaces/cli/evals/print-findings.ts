import { manyLines, oneLine } from '../../common/harmless-text.ts';
import { changeLines } from '../../findings/run-changes.ts';
import { conclusionOf } from '../../findings/run-conclusion.ts';
import type { Findings } from '../../findings/run-findings.ts';
import { maxExplained } from '../../findings/run-findings.ts';
import {
  casesTable,
  failuresByTitle,
  gateLines,
  judgeLines,
  type TraceOf,
  traceLines,
  whyOf,
} from '../../findings/run-report.ts';
import { exitCodes } from '../exit-codes.ts';
import { tableText } from '../screen/table.ts';

const codes = {
  passed: exitCodes.passed,
  failed: exitCodes.failed,
  undecided: exitCodes.incomplete,
} as const;

export function exitCodeOf(findings: Findings): number {
  return codes[conclusionOf(findings).outcome];
}

/** Prints the cases with their rates, failures, changes since the previous run, the gate and the verdict. */
export function printFindings(findings: Findings, traceOf: TraceOf | undefined): void {
  const { run } = findings;
  const out = process.stdout;
  const { columns, rows } = casesTable(run);
  if (run.statistics) out.write(`${tableText(columns, rows, out)}\n`);
  for (const [title, item] of [...failuresByTitle(run)].slice(0, maxExplained)) {
    out.write(`\n${oneLine(title, 200)}\n  ${whyOf(item)}\n`);
    const next = [item.nextAction, ...traceLines(item, traceOf)];
    out.write(next.map((line) => `  ${oneLine(line, 500)}\n`).join(''));
  }
  const lines = [...changeLines(findings), ...judgeLines(findings), ...gateLines(findings)].map(
    (line) => `${manyLines(line)}\n`,
  );
  out.write(`${lines.length > 0 ? '\n' : ''}${lines.join('')}\n${manyLines(conclusionOf(findings).words)}\n`);
}
