import { z } from 'zod';
import { Refusal } from '../../../contract/errors.ts';
import { invalid } from '../../../domain/base/refusals.ts';
import { named } from '../../../platform/quoted.ts';
import { changeLines, changeOf } from '../../findings/run-changes.ts';
import { linkTo } from '../addresses.ts';
import type { Calling } from '../agent.ts';
import { provenanceLabels } from '../answers.ts';
import { projectOf, suiteOf } from '../names.ts';
import { withRateLimitRetry } from '../rate-limit-retry.ts';
import { answerSize, tool } from '../tool.ts';
import { project, run, suite } from './arguments.ts';
import { explained, lastRunOf } from './explanation.ts';

interface Asked {
  project?: string | undefined;
  run?: string | undefined;
  suite?: string | undefined;
}

export const runSelector = {
  run: run.optional(),
  suite: suite.optional().describe('Name or ID of a suite, for its latest full run.'),
  project,
};

/** A run by ID, or the latest full run of a suite. */
export async function runOf(calling: Calling, asked: Asked): Promise<{ projectId: string; runId: string }> {
  if ((asked.run === undefined) === (asked.suite === undefined)) throw invalid('Give either run or suite');
  const { id: projectId } = await projectOf(calling, asked.project);
  if (asked.run !== undefined) return { projectId, runId: asked.run };
  const { id, name } = await suiteOf(calling, projectId, asked.suite as string);
  const last = await lastRunOf(calling, projectId, id);
  if (!last)
    throw new Refusal('NOT_FOUND', `Suite ${named(name)} has no full run yet. Start one with run_suite`);
  return { projectId, runId: last.id };
}

export const explainRun = tool({
  name: 'explain_run',
  title: 'Explain a run',
  description:
    'Explain an eval run: the verdict with its interval, which cases failed at which stage and why, changes since the previous run, the quality gate, and links to traces.',
  input: z.strictObject({ ...runSelector, answerSize }),
  run: async (asked, calling) => {
    const { projectId, runId } = await runOf(calling, asked);
    return explained(calling, projectId, runId);
  },
});

export const listRuns = tool({
  name: 'list_runs',
  title: 'List the runs of a suite',
  description: 'List the latest runs of an eval suite with their results, newest first.',
  input: z.strictObject({ suite, project, limit: z.number().int().min(1).max(50).default(10) }),
  run: async (asked, calling) => {
    const { agent, signal } = calling;
    const { id: projectId } = await projectOf(calling, asked.project);
    const { id: suiteId, name } = await suiteOf(calling, projectId, asked.suite);
    const { items, nextCursor } = await withRateLimitRetry(
      () => agent.client.listEvalSuiteRuns({ projectId, suiteId, limit: asked.limit }, { signal }),
      signal,
    );
    return {
      ours: [
        `Suite ${name === suiteId ? suiteId : `${named(name)} (${suiteId})`}: ${items.length} runs shown${nextCursor === undefined ? '' : ', older runs exist'}.`,
      ],
      data: {
        provenance: provenanceLabels.records,
        value: items.map((each) => ({
          run: each.id,
          number: each.runNumber,
          status: each.status,
          result: each.result,
          ...(each.coverage !== 'suite' && { covers: each.coverage }),
          passed: each.summary && `${each.summary.passed}/${each.summary.total}`,
          notRun: each.summary?.notRun,
          warnings: each.warnings?.map(({ code }) => code),
          model: each.effectiveModelId,
          environment: each.environment?.name,
          commit: each.ciMetadata?.['commitSha'],
          createdAt: new Date(each.createdAt).toISOString(),
        })),
      },
      full: linkTo('listEvalSuiteRuns', { projectId, suiteId }, 'The runs of the suite'),
    };
  },
});

export const compareRun = tool({
  name: 'compare_run',
  title: 'Compare a run with its baseline',
  description:
    'Compare an eval run with an earlier run, a commit or a branch; by default with the latest completed full run with the same models, client and environment. Shows which cases regressed or were fixed, and whether that is more than chance.',
  input: z.strictObject({
    ...runSelector,
    baseRun: run.optional().describe('ID of the run to compare with.'),
    baseCommit: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Commit whose latest completed run to compare with.'),
    baseBranch: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Branch whose latest completed run to compare with.'),
    answerSize,
  }),
  run: async (asked, calling) => {
    const { projectId, runId } = await runOf(calling, asked);
    const { agent, signal } = calling;
    if (asked.baseRun === runId) throw invalid('baseRun: A run cannot be compared with itself');
    const comparison = await withRateLimitRetry(
      () =>
        agent.client.compareEvalRun(
          {
            projectId,
            runId,
            ...(asked.baseRun !== undefined && { baseRunId: asked.baseRun }),
            ...(asked.baseCommit !== undefined && { baseCommitSha: asked.baseCommit }),
            ...(asked.baseBranch !== undefined && { baseBranch: asked.baseBranch }),
          },
          { signal },
        ),
      signal,
    );
    const { baseRun, cases, compareRun: own } = comparison;
    const changed = cases.filter(({ status }) => !status.startsWith('unchanged'));
    return {
      ours: [
        `Run ${own.runNumber} (${own.id}) compared with run ${baseRun.runNumber} (${baseRun.id}): ${cases.length - changed.length} of ${cases.length} cases unchanged.`,
        ...changeLines({ comparison, notCompared: undefined }).slice(0, 1),
      ],
      data: {
        provenance: provenanceLabels.run,
        value: changed.map((each) => ({
          case: each.title,
          change: changeOf(each),
          was: `${each.base.passed}/${each.base.trials}`,
          is: `${each.compare.passed}/${each.compare.trials}`,
          adjustedP: each.difference?.adjustedP,
          error: each.compare.error,
          trial: each.compare.representativeIterationId,
        })),
      },
      full: linkTo('compareEvalRun', { projectId, runId }, 'The whole comparison with the run before'),
    };
  },
});
