import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import { type ReportedTest, readReport, UnreadableReport } from '../../reports/index.ts';
import { invalid } from '../base/refusals.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { findRun } from '../eval-runs/find.ts';
import { findArtifact } from './artifact-links.ts';
import type { Result } from './header.ts';
import { addToRun, ended, reportedRun, wholeRun } from './runs.ts';

export const reportEvalArtifact: Verb<'reportEvalArtifact'> = async (context, { storageId, body }) => {
  const { runId, suiteName, format, ...header } = body;
  await findArtifact(context, storageId);
  const { results, skipped } = resultsOf(await testsIn(context.blobs.read(storageId), format));
  const tests = { reported: results.length, skipped };
  if (results.length === 0) throw invalid('The report contains no executed tests');
  if (suiteName !== undefined) {
    const run = await wholeRun(context, { suiteName, ...header }, results);
    await keep(context, storageId, run.runId);
    return { ...run, tests };
  }
  const run = await reportedRun(context, runId as string, header.externalRunId);
  await addToRun(context, run, results);
  await keep(context, storageId, run.id);
  return { ...ended(await findRun(context, run.id), false), tests };
};

/** Keeps the uploaded report with the run. */
function keep({ db, project }: ProjectContext, storageId: string, runId: string): Promise<unknown> {
  return db.run(blobRows.refer, { ids: [storageId], projectId: project.id, runId });
}

async function testsIn(content: Readable, format: 'auto' | 'junit' | 'jest'): Promise<ReportedTest[]> {
  try {
    return await readReport(content, format);
  } catch (error) {
    if (error instanceof UnreadableReport) throw invalid(`The report cannot be read. ${error.message}`);
    throw error;
  } finally {
    content.destroy();
  }
}

/** Maximum number of characters of a case title. */
const maxTitle = 500;

/** Converts tests to trials. A test has the same case in every report; a test listed twice is two trials. */
function resultsOf(tests: readonly ReportedTest[]): { results: Result[]; skipped: number } {
  const seen = new Map<string, number>();
  const ran = tests.filter(({ result }) => result !== 'skipped');
  const results = ran.map(({ suite, name, file, result, durationMs, message }): Result => {
    const caseTitle =
      [suite, name].filter(Boolean).join(' > ').slice(0, maxTitle).toWellFormed() || 'unnamed';
    const externalCaseId = `t_${shortHash([file, suite, name])}`;
    const number = (seen.get(externalCaseId) ?? 0) + 1;
    seen.set(externalCaseId, number);
    return {
      caseTitle,
      passed: result === 'passed',
      externalCaseId,
      externalIterationId: `${externalCaseId}-${number}`,
      ...(durationMs !== undefined && { durationMs }),
      ...(message !== undefined && { error: message }),
      ...(file !== undefined && { metadata: { file } }),
    };
  });
  return { results, skipped: tests.length - ran.length };
}

function shortHash(parts: readonly (string | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 21);
}
