import type { Findings } from '../../findings/run-findings.ts';
import {
  casesTable,
  changeLines,
  conclusionOf,
  failuresByTitle,
  gateLines,
  judgeLines,
  mostExplained,
  type TraceOf,
  traceLines,
  whyOf,
} from '../../findings/run-report.ts';
import { manyLines, oneLine } from '../../harmless-text.ts';
import { tableText } from '../screen/table.ts';

/** Cases with their rates, why trials failed, what changed since the run before, then the gate and the verdict. */
export function printFindings(findings: Findings, traceOf: TraceOf | undefined): void {
  const { run } = findings;
  const out = process.stdout;
  const { columns, rows } = casesTable(run);
  if (run.statistics) out.write(`${tableText(columns, rows, out)}\n`);
  for (const [title, item] of [...failuresByTitle(run)].slice(0, mostExplained)) {
    out.write(`\n${oneLine(title, 200)}\n  ${whyOf(item)}\n`);
    const next = [item.nextAction, ...traceLines(item, traceOf)];
    out.write(next.map((line) => `  ${oneLine(line, 500)}\n`).join(''));
  }
  const lines = [...changeLines(findings), ...judgeLines(findings), ...gateLines(findings)].map(
    (line) => `${manyLines(line)}\n`,
  );
  out.write(`${lines.length > 0 ? '\n' : ''}${lines.join('')}\n${manyLines(conclusionOf(findings).words)}\n`);
}
