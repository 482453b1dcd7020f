import type { Verb } from '../../context/verb.ts';
import { withSuite, writeRevision } from '../suite.ts';
import { addCase, suiteSize } from './add.ts';
import { newCase } from './definition.ts';
import { presentCase } from './present.ts';
import { refuseOnRate } from './rules.ts';
import { vocabularyOf } from './vocabulary.ts';

export const createEvalCase: Verb<'createEvalCase'> = (context, input) => {
  const { body, suiteId } = input;
  const vocabulary = vocabularyOf(input);
  const definition = newCase(body, vocabulary);
  const declaredSuiteId = input.declaredSuiteId ?? body.declaredSuiteId;
  const write = { suiteId, action: 'eval-case.create', declaredSuiteId };
  return withSuite(context, write, async (db, suite) => {
    refuseOnRate(suite, definition, vocabulary);
    const given = { title: body.title, declaredId: body.id, definition };
    const row = await addCase(context, db, suiteId, given, await suiteSize(db, suiteId));
    await writeRevision(context, db, suite, {}, { changedFields: ['cases'] });
    return presentCase(row, vocabulary);
  });
};
