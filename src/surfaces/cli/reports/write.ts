import { appendFile } from 'node:fs/promises';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { Report } from '../../findings/report.ts';
import { jsonText } from '../screen/json.ts';
import { writeWhole } from '../whole-file.ts';
import { toJunit } from './junit.ts';
import { toMarkdown } from './markdown.ts';

/** Where a command leaves what it found, besides the terminal. */
export interface ReportFiles {
  /** `-`, or no name, is the standard output. */
  json?: string | true;
  junit?: string;
  markdown?: string;
}

/** Writes what was asked for; in GitHub Actions the Markdown goes to the summary of the job as well. */
export async function writeReports(report: Report, answer: unknown, files: ReportFiles): Promise<void> {
  const { json, junit, markdown } = files;
  if (printsJson(files)) process.stdout.write(`${jsonText(answer, process.stdout, 2)}\n`);
  else if (typeof json === 'string') await writeWhole(json, [`${JSON.stringify(answer, null, 2)}\n`]);
  if (junit !== undefined) await writeWhole(junit, [toJunit(report)]);
  if (markdown !== undefined) await writeWhole(markdown, [toMarkdown(report)]);
  const summary = process.env['GITHUB_STEP_SUMMARY'];
  if (summary) await appendFile(summary, toMarkdown(report)).catch(cannotWrite(summary));
}

export function printsJson({ json }: ReportFiles): boolean {
  return json === '-' || json === true;
}

function cannotWrite(path: string): (error: unknown) => never {
  return (error) => {
    throw new OperatorProblem(`Cannot write ${path}: ${(error as Error).message}`);
  };
}
