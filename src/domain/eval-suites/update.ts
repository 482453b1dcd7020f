import { type updateEvalSuite as declaration, maxEnvironments } from '../../contract/eval-suites.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import { conflict, invalid } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { serversCalled } from '../servers/called.ts';
import { type Vocabulary, vocabularyOf } from './cases/vocabulary.ts';
import { environmentsCalled, hostsCalled } from './parts.ts';
import { presentSuite } from './present.ts';
import { requireSchedulable } from './schedule.ts';
import { changedSettings } from './settings.ts';
import { changedNames, type Suite, type SuiteFields, withSuite, writeRevision } from './suite.ts';

type Body = InputOf<typeof declaration>['body'];

export const updateEvalSuite: Verb<'updateEvalSuite'> = (context, input) => {
  const { body, suiteId } = input;
  const vocabulary = vocabularyOf(input);
  const write = {
    suiteId,
    action: 'eval-suite.update',
    declaredSuiteId: input.declaredSuiteId ?? body.declaredSuiteId,
    expectedRevision: body.expectedRevisionNumber,
  };
  return withSuite(context, write, async (db, suite) => {
    const fields = await changesOf(db, suite, body, vocabulary);
    const changedFields = changedNames(suite, fields);
    // An edit that changes nothing creates no revision.
    if (changedFields.length === 0) return presentSuite(db, suite, vocabulary);
    const after = await writeRevision(context, db, suite, fields, { changedFields, note: body.note });
    return presentSuite(db, after, vocabulary);
  });
};

async function changesOf(
  db: Db,
  suite: Suite,
  body: Body,
  vocabulary: Vocabulary,
): Promise<Partial<SuiteFields>> {
  const { projectId } = suite;
  const fields: Partial<SuiteFields> = {};
  if (body.name !== undefined) fields.name = body.name;
  if (body.description !== undefined) fields.description = body.description || null;
  if (body.environment?.servers)
    fields.serverIds = (await serversCalled(db, projectId, body.environment.servers)).map(({ id }) => id);
  if (body.environmentIds !== undefined) {
    fields.environmentIds =
      body.environmentIds === null ? [] : await environmentsCalled(db, projectId, body.environmentIds);
    requireSchedulable(suite, fields.environmentIds);
  }
  if (body.executionConfig) {
    if (suite.execution === null && body.executionConfig.model === undefined)
      throw invalid('executionConfig: model is required, because the suite has no executionConfig yet');
    fields.execution = { ...suite.execution, ...body.executionConfig };
  }
  if (body.hosts) fields.hosts = (await hostsCalled(db, projectId, body.hosts)).hosts;
  if (body.settings) fields.settings = changedSettings(suite.settings, body.settings, vocabulary);
  return fields;
}

export const attachEvalSuiteEnvironment: Verb<'attachEvalSuiteEnvironment'> = (context, input) => {
  const { suiteId, declaredSuiteId, body } = input;
  const write = { suiteId, action: 'eval-suite.attach-environment', declaredSuiteId };
  return withSuite(context, write, async (db, suite) => {
    const { environmentIds } = suite;
    if (environmentIds.includes(body.environmentId)) return { suiteId, attached: false, environmentIds };
    if (environmentIds.length >= maxEnvironments)
      throw conflict(`A suite has at most ${maxEnvironments} environments`, 'LIMIT_REACHED', {
        limit: maxEnvironments,
      });
    const added = await environmentsCalled(db, suite.projectId, [body.environmentId]);
    const changed = { environmentIds: [...environmentIds, ...added] };
    requireSchedulable(suite, changed.environmentIds);
    await writeRevision(context, db, suite, changed, { changedFields: ['environmentIds'] });
    return { suiteId, attached: true, ...changed };
  });
};
