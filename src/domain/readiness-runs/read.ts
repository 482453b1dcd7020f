import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import * as runs from '../../platform/database/queries/readiness-runs.ts';
import { readTrace } from '../artifacts/traces.ts';
import { pageByLatest } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { presentRun } from './present.ts';

type Report = OutputOf<Operations['getReadinessReport']>;

export const getReadinessRun: Verb<'getReadinessRun'> = async ({ db, project }, { readinessRunId: id }) =>
  presentRun(found(await db.row(runs.find, { projectId: project.id, id }), 'readiness run'));

export const listReadinessRuns: Verb<'listReadinessRuns'> = (
  context,
  { readinessKind, serverId, ...page },
) => {
  const { db, project } = context;
  const kind = readinessKind ?? null;
  const scope = ['readiness-runs', project.id, kind, serverId ?? null];
  const fetch = (before: string | null, most: number) =>
    serverId === undefined
      ? db.rows(runs.list, { projectId: project.id, kind, before, most })
      : db.rows(runs.listOfServer, { projectId: project.id, serverId, kind, before, most });
  return pageByLatest(context, scope, page, fetch, presentRun);
};

export const getReadinessReport: Verb<'getReadinessReport'> = async (context, { readinessRunId: id }) => {
  const { db, project } = context;
  const stored = found(await db.row(runs.report, { projectId: project.id, id }), 'readiness run');
  const { trace: report } = await readTrace(context, stored);
  if (!report)
    throw new Refusal('NOT_FOUND', 'This run has no report: it has not ended, or it ended without one', {
      details: { reason: 'REPORT_NOT_AVAILABLE' },
    });
  return report as unknown as Report;
};
