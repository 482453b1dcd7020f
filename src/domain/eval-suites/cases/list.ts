import * as cases from '../../../platform/database/queries/eval-cases.ts';
import { pageBy } from '../../base/paging.ts';
import { found } from '../../base/refusals.ts';
import type { Verb } from '../../context/verb.ts';
import { findSuite } from '../suite.ts';
import { presentCase } from './present.ts';
import { vocabularyOf } from './vocabulary.ts';

export const listEvalCases: Verb<'listEvalCases'> = async (context, input) => {
  const { db } = context;
  const { id: suiteId } = await findSuite(context, input.suiteId);
  return pageBy(context, input, {
    scope: ['eval-cases', suiteId],
    placeOf: ({ position }: cases.CaseRow) => [position] as const,
    fetch: (after, most) => db.rows(cases.list, { suiteId, after: after?.[0] ?? -1, most }),
    present: (row) => presentCase(row, vocabularyOf(input)),
  });
};

export const getEvalCase: Verb<'getEvalCase'> = async (context, input) => {
  const { id: suiteId } = await findSuite(context, input.suiteId);
  const row = await context.db.row(cases.find, { suiteId, id: input.caseId });
  return presentCase(found(row, 'case'), vocabularyOf(input));
};
