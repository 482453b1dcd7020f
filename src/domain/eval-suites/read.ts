import * as suites from '../../platform/database/queries/eval-suites.ts';
import { pageBy, pageById } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';
import { vocabularyOf } from './cases/vocabulary.ts';
import { presentListed, presentSuite } from './present.ts';
import { findSuite } from './suite.ts';

export const listEvalSuites: Verb<'listEvalSuites'> = (context, page) => {
  const { db, project } = context;
  const fetch = (after: string, most: number) => db.rows(suites.list, { projectId: project.id, after, most });
  return pageById(context, ['eval-suites', project.id], page, fetch, (row) => presentListed(project.id, row));
};

export const getEvalSuite: Verb<'getEvalSuite'> = async (context, input) =>
  presentSuite(context.db, await findSuite(context, input.suiteId), vocabularyOf(input));

/** Upper bound of revision numbers. */
const maxRevisions = 2 ** 31 - 1;

export const listEvalSuiteRevisions: Verb<'listEvalSuiteRevisions'> = async (context, input) => {
  const { id: suiteId } = await findSuite(context, input.suiteId);
  return pageBy(context, input, {
    scope: ['eval-suite-revisions', suiteId],
    placeOf: ({ number }: suites.RevisionRow) => [number] as const,
    fetch: (after, most) =>
      context.db.rows(suites.listRevisions, { suiteId, before: after?.[0] ?? maxRevisions, most }),
    present: (row) => ({
      id: row.id,
      revisionNumber: row.number,
      source: row.source as 'api',
      createdBy: row.createdBy,
      createdByName: row.createdByName,
      createdAt: row.createdAt,
      note: row.note,
      changedFields: row.changedFields,
      revisionGroupId: row.groupId,
      pinnedRunCount: row.pinnedRuns,
      pinnedRunCountCapped: row.pinnedRuns >= suites.maxPinned,
    }),
  });
};
