import type { getEvalCase } from '../../../contract/eval-cases.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import type { CaseRow } from '../../../platform/database/queries/eval-cases.ts';
import type { CaseDefinition } from './definition.ts';
import { shownCheck, shownSteps, type Vocabulary } from './vocabulary.ts';

export function presentCase(row: CaseRow, vocabulary: Vocabulary): OutputOf<typeof getEvalCase> {
  const definition = row.definition as CaseDefinition;
  const { steps, iterations, repetitions, matchOptions, checks, suppressed, models } = definition;
  const list = checks && { mode: checks.mode, list: checks.list.map((one) => shownCheck(one, vocabulary)) };
  const counts =
    vocabulary === '2'
      ? { legacyIterations: iterations, ...(repetitions !== undefined && { iterations: repetitions }) }
      : { iterations, ...(repetitions !== undefined && { repetitions }) };
  return {
    id: row.id,
    declaredId: row.declaredId,
    title: row.title,
    steps: shownSteps(steps, vocabulary),
    ...counts,
    ...shared(definition),
    models: models.map(({ model, provider }) => ({ model, ...(provider !== undefined && { provider }) })),
    ...(matchOptions && { matchOptions: { ...matchOptions } }),
    ...(list && (vocabulary === '2' ? { assertions: list } : { checks: list })),
    ...(suppressed && { suppressedSuiteStandardCheckIds: suppressed }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

const sharedFields = [
  'expectedOutput',
  'passThreshold',
  'isNegative',
  'scenario',
  'intent',
  'kind',
  'judge',
  'import',
  'source',
  'disabled',
] as const;

/** Fields spelled the same in both vocabularies. */
function shared(definition: CaseDefinition): Pick<CaseDefinition, (typeof sharedFields)[number]> {
  return Object.fromEntries(
    sharedFields.flatMap((field) => (definition[field] === undefined ? [] : [[field, definition[field]]])),
  ) as Pick<CaseDefinition, (typeof sharedFields)[number]>;
}
