import {
  type Score,
  TrialClusters,
  trialFinding,
  trialPrompt,
  withTrialExplanations,
} from '../../evaluation/index.ts';
import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as trials from '../../platform/database/queries/eval-trials.ts';
import { evalRunInsights } from '../../platform/database/queries/insights.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { jobKinds } from '../base/job-kinds.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Services } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { type Counted, insightsHandler } from '../insights/job.ts';
import { type Envelope, envelopeOf } from '../insights/present.ts';
import { requestInsights } from '../insights/request.ts';
import type { InsightsSource } from '../insights/source.ts';
import type { ModelParts } from '../model-calls/open-model.ts';
import type { TrialDetail } from './execute/stored.ts';
import { isOpen } from './is-open.ts';
import { refuseOpen } from './judge/request.ts';
import { findRun } from './read/find.ts';
import type { RunSnapshot } from './snapshot.ts';

const source: InsightsSource<{ runId: string }> = {
  job: jobKinds.findEvalRunInsights,
  describe: ({ runId }) => `eval-run ${runId}`,
  subjectIn: ({ runId }) => ({ runId: runId as string }),
  find: (db, run) => db.row(evalRunInsights.find, run),
  lockForUpdate: (db, { runId }) => db.row(runs.lock, { id: runId }),
  begin: (db, run, requestedBy) => db.one(evalRunInsights.begin, { ...run, requestedBy }),
  close: (db, run, end) => db.run(evalRunInsights.close, { ...run, ...end }),
};

export const requestEvalRunInsights: Verb<'requestEvalRunInsights'> = (context, { runId, body }) =>
  writeInProject(context, async (db) => {
    const run = await findRun({ ...context, db }, runId);
    refuseOpen(run);
    await requestInsights(context, db, source, { runId: run.id }, body.force);
    await audit(db, context, 'eval-run.insights', run.id);
    return { runId: run.id, projectId: run.projectId, status: 'pending' };
  });

type InsightsContent = Pick<Envelope, 'summary' | 'coverage' | 'findings' | 'runHealth' | 'truncation'>;

const pageSize = 500;
const maxFindings = 50;
/** Below this many graded trials, confidence is low. */
const fewTrials = 5;

export function evalRunInsightsHandler(services: Services, parts: ModelParts): JobHandler {
  return insightsHandler(parts, source, async ({ runId }): Promise<Counted<InsightsContent> | undefined> => {
    const run = await services.db.row(runs.get, { id: runId });
    if (!run) return undefined;
    const { organizationId, projectId } = run;
    const content = await count(services.db, run);
    const { findings } = content;
    const explain: Counted<InsightsContent>['explain'] = async ({ ask }) => {
      if (findings.length === 0) return { content };
      const explanations = withTrialExplanations(await ask(trialPrompt(findings)), findings);
      return explanations
        ? { content: { ...content, ...explanations } }
        : { content, reasonCode: 'model_answer_invalid' };
    };
    return { organizationId, projectId, runId, content, explain };
  });
}

async function count(db: Db, run: runs.RunRow): Promise<InsightsContent> {
  const { id: runId } = run;
  const clusters = new TrialClusters();
  for (let after = -1; ; ) {
    const rows = await db.rows(trials.failures, { runId, after, most: pageSize });
    for (const { id, status, detail } of rows) {
      const failed = detail as TrialDetail;
      clusters.add({ ...failed, iterationId: id, status, scores: failed.scores as Score[] });
    }
    if (rows.length < pageSize) break;
    after = rows.at(-1)?.position ?? after;
  }
  const { attempted, completed, graded } = await db.one(evalRunInsights.health, { runId });
  const all = clusters.list();
  const findings = all.slice(0, maxFindings).map((cluster) => trialFinding(runId, cluster, attempted));
  const failed = all.reduce((sum, cluster) => sum + cluster.count, 0);
  const omittedFindings = all.length - findings.length;
  const health = { attempted, succeeded: completed, failed: attempted - completed, rateLimited: 0 };
  const { snapshot } = (await db.one(runs.snapshot, { runId })) as { snapshot: RunSnapshot };
  const subject = subjectOf(snapshot);
  return {
    summary:
      failed === 0
        ? `All ${attempted} trials passed.`
        : `${failed} of ${attempted} trials did not pass: ${all.length} ${all.length === 1 ? 'kind' : 'kinds'} of failure.`,
    coverage: {
      unit: 'iterations',
      analyzed: attempted,
      total: run.trials,
      gradedCount: graded,
      truncated: attempted < run.trials,
      lowConfidence: graded < fewTrials,
    },
    findings,
    ...(subject && { runHealth: { targets: [{ ...subject, ...health }] } }),
    truncation: {
      truncated: omittedFindings > 0 || clusters.omittedEvidence > 0,
      omittedFindings,
      omittedEvidence: clusters.omittedEvidence,
      contractTruncated: false,
    },
  };
}

type Target = NonNullable<Envelope['runHealth']>['targets'][number];

function subjectOf({
  environment,
  client,
}: RunSnapshot): Pick<Target, 'subjectKind' | 'subjectId' | 'subjectLabel'> | undefined {
  if (environment) {
    const { id, name } = environment;
    return { subjectKind: 'environment', subjectId: id, subjectLabel: name ?? id };
  }
  return client ? { subjectKind: 'host', subjectId: client.id, subjectLabel: client.name } : undefined;
}

export async function insightsOf(db: Db, run: runs.RunRow): Promise<Envelope> {
  const row = await source.find(db, { runId: run.id });
  const scope = { kind: 'eval_run', id: run.id, runId: run.id } as const;
  const content = (row?.insights as InsightsContent | null | undefined) ?? nothing(run);
  return envelopeOf(row, scope, isOpen(run.status) ? 'run_not_over' : undefined, content);
}

function nothing({ trials }: runs.RunRow): InsightsContent {
  return {
    summary: null,
    coverage: { unit: 'iterations', analyzed: 0, total: trials, truncated: false, lowConfidence: true },
    findings: [],
    truncation: { truncated: false, omittedFindings: 0, omittedEvidence: 0, contractTruncated: false },
  };
}
