import { appendFile } from 'node:fs/promises';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { Report } from '../../findings/report.ts';
import { writeWhole } from '../files.ts';
import { jsonText } from '../screen/json.ts';
import { toJunit } from './junit.ts';
import { toMarkdown } from './markdown.ts';
import { printReport } from './print.ts';

/** The report options of a command. */
export interface ReportFiles {
  /** `-` or `true` is the standard output. */
  json?: string | true;
  junit?: string;
  markdown?: string;
}

/** Prints the report for people, unless JSON goes to the standard output, and writes the requested files. */
export async function publishReport(
  report: Report,
  answer: unknown,
  files: ReportFiles,
  print: () => void = () => printReport(report),
): Promise<void> {
  if (!printsJson(files)) print();
  await writeReports(report, answer, files);
}

/** Writes the requested files. In GitHub Actions the Markdown is appended to the job summary too. */
export async function writeReports(report: Report, answer: unknown, files: ReportFiles): Promise<void> {
  const { json, junit, markdown } = files;
  if (printsJson(files)) process.stdout.write(`${jsonText(answer, process.stdout, 2)}\n`);
  else if (typeof json === 'string') await writeWhole(json, [`${JSON.stringify(answer, null, 2)}\n`]);
  if (junit !== undefined) await writeWhole(junit, [toJunit(report)]);
  if (markdown !== undefined) await writeWhole(markdown, [toMarkdown(report)]);
  const summary = process.env['GITHUB_STEP_SUMMARY'];
  if (summary)
    await appendFile(summary, toMarkdown(report)).catch((error: Error) => {
      throw new OperatorProblem(`Cannot write ${summary}: ${error.message}`);
    });
}

export function printsJson({ json }: ReportFiles): boolean {
  return json === '-' || json === true;
}

/** Prints the ID of a run that is not followed. */
export function printRunId(runId: string, files: ReportFiles): void {
  process.stdout.write(printsJson(files) ? `${JSON.stringify({ runId })}\n` : `${runId}\n`);
}
