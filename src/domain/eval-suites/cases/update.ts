import { sameJson } from '../../../platform/canonical.ts';
import * as cases from '../../../platform/database/queries/eval-cases.ts';
import { found, invalid } from '../../base/refusals.ts';
import type { Verb } from '../../context/verb.ts';
import { withSuite, writeRevision } from '../suite.ts';
import { changeCase, suiteSize } from './add.ts';
import { type CaseDefinition, promptsModel, withChanges } from './definition.ts';
import { presentCase } from './present.ts';
import { refuseOnRate } from './rules.ts';
import { vocabularyOf } from './vocabulary.ts';

export const updateEvalCase: Verb<'updateEvalCase'> = (context, input) => {
  const { body, suiteId, caseId: id } = input;
  const vocabulary = vocabularyOf(input);
  const declaredSuiteId = input.declaredSuiteId ?? body.declaredSuiteId;
  const write = { suiteId, action: 'eval-case.update', declaredSuiteId };
  return withSuite(context, write, async (db, suite) => {
    const row = found(await db.row(cases.lock, { suiteId, id }), 'case');
    const before = row.definition as CaseDefinition;
    const definition = withChanges(before, body, vocabulary);
    if (promptsModel(before) !== promptsModel(definition))
      throw invalid(
        promptsModel(before)
          ? 'steps: The case prompts a model; keep a prompt among its steps, or make a new case'
          : 'steps: The case only calls tools; a prompt cannot be added, make a new case',
      );
    refuseOnRate(suite, definition, vocabulary);
    const { title = row.title } = body;
    // An edit that changes nothing creates no revision.
    if (title === row.title && sameJson(before, definition)) return presentCase(row, vocabulary);
    const after = await changeCase(db, row, { title, definition }, await suiteSize(db, suiteId));
    await writeRevision(context, db, suite, {}, { changedFields: ['cases'] });
    return presentCase(after, vocabulary);
  });
};

export const deleteEvalCase: Verb<'deleteEvalCase'> = (context, { suiteId, caseId: id, declaredSuiteId }) => {
  const write = { suiteId, action: 'eval-case.delete', declaredSuiteId };
  return withSuite(context, write, async (db, suite) => {
    if ((await db.run(cases.remove, { suiteId, id })) === 0) throw found(undefined, 'case');
    await writeRevision(context, db, suite, {}, { changedFields: ['cases'] });
    return { id, deleted: true as const };
  });
};
