import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { Refusal } from '../../../contract/errors.ts';
import type { CaseCreateRequest, InlineCase } from '../../../contract/eval-cases.ts';
import type { CaseChecks, Check, StandardCheckId } from '../../../contract/eval-checks.ts';
import type { Step } from '../../../contract/eval-steps.ts';
import { authoringProblem, type PublicMatchOptions, publicMatchOptions } from '../../../evaluation/index.ts';
import { sortKeys } from '../../../platform/canonical.ts';
import { checkDocumentSize } from '../../base/body-limits.ts';
import { invalid } from '../../base/refusals.ts';
import { oneSpelling, storedCheck, storedSteps, type Vocabulary } from './vocabulary.ts';

/** A case in stored form, independent of the request vocabulary. */
export interface CaseDefinition {
  steps: Step[];
  expectedOutput?: string;
  /** Minimum number of trials. */
  iterations: number;
  /** Exact number of trials. */
  repetitions?: number;
  passThreshold?: number;
  isNegative: boolean;
  scenario?: string;
  intent?: string;
  kind?: 'capability' | 'regression';
  models: { model: string; provider?: string | undefined }[];
  matchOptions?: PublicMatchOptions;
  checks?: { mode: 'inherit' | 'replace' | 'extend'; list: Check[] };
  judge?: { enabled?: boolean | undefined };
  import?: { status: string; sourceCaseKey?: string | undefined; note?: string | undefined };
  source?: Record<string, unknown>;
  suppressed?: StandardCheckId[];
  /** Default true: a tool error fails the trial. */
  failOnToolError?: boolean;
  /** Disabled cases are kept, but not run. */
  disabled?: boolean;
}

type Written = z.output<typeof CaseCreateRequest>;
type Given = {
  [Field in Exclude<keyof Written, 'intent' | 'kind' | 'import'>]?: Written[Field] | undefined;
} & {
  intent?: string | null | undefined;
  kind?: 'capability' | 'regression' | null | undefined;
  import?: Written['import'] | null;
};
type GivenChecks = z.output<typeof CaseChecks> | null;

/** Applies a request's changes to a case; `null` clears a field. */
export function withChanges(before: CaseDefinition, body: Given, vocabulary: Vocabulary): CaseDefinition {
  const after: CaseDefinition = { ...before };
  const set = <Field extends keyof CaseDefinition>(
    field: Field,
    value: CaseDefinition[Field] | null | undefined,
  ): void => {
    if (value === undefined) return;
    if (value === null) delete after[field];
    else after[field] = value;
  };
  if (body.steps) {
    after.steps = storedSteps(body.steps, vocabulary);
    checkSteps(after.steps);
  }
  const { exact, floor } = countsIn(body, vocabulary);
  set('repetitions', exact);
  set('iterations', floor);
  set('expectedOutput', body.expectedOutput);
  set('passThreshold', body.passThreshold);
  set('isNegative', body.isNegative);
  set('scenario', body.scenario);
  set('intent', body.intent);
  set('kind', body.kind);
  set('models', body.models);
  set('judge', body.judge);
  set('import', body.import);
  set('source', body.source);
  if (body.suppressedSuiteStandardCheckIds) after.suppressed = body.suppressedSuiteStandardCheckIds;
  if (body.matchOptions === null) delete after.matchOptions;
  else if (body.matchOptions)
    after.matchOptions = { ...after.matchOptions, ...publicMatchOptions(body.matchOptions) };
  const checks = oneSpelling(body, ['checks', 'assertions', 'predicates']);
  if (checks) set('checks', checks.value && storedChecks(checks.value, vocabulary, `${checks.name}.list`));
  checkDocumentSize('case', after);
  return after;
}

/**
 * In vocabulary 1, `iterations` is the minimum; in vocabulary 2, it is the exact count and the minimum is
 * `legacyIterations`. For a new case, an exact count without a minimum is the minimum too.
 */
function countsIn(body: Given, vocabulary: Vocabulary): { exact?: number; floor?: number } {
  const exact = oneSpelling(body, vocabulary === '2' ? ['iterations', 'repetitions'] : ['repetitions']);
  const floor = oneSpelling(
    body,
    vocabulary === '2' ? ['legacyIterations', 'runs'] : ['iterations', 'runs', 'legacyIterations'],
  );
  return { ...(exact && { exact: exact.value }), ...(floor && { floor: floor.value }) };
}

export function newCase(body: Given & { steps: Step[] }, vocabulary: Vocabulary): CaseDefinition {
  const empty: CaseDefinition = { steps: [], iterations: 1, isNegative: false, models: [] };
  const { exact, floor } = countsIn(body, vocabulary);
  const made = withChanges(empty, body, vocabulary);
  if (floor === undefined && exact !== undefined) made.iterations = exact;
  return made;
}

type Test = z.output<typeof InlineCase>;
interface TitledCase {
  title: string;
  definition: CaseDefinition;
}

/**
 * Cases defined inline in a request that creates a suite or run. Errors name the case. Equal cases with different
 * models are merged into one case with several models. Yields after each case.
 */
export async function inlineCases(tests: readonly Test[], vocabulary: Vocabulary): Promise<TitledCase[]> {
  const byContent = new Map<string, TitledCase>();
  for (const [index, test] of tests.entries()) {
    const { title } = test;
    const definition = inlineCase(test, index, vocabulary);
    const hash = contentHash(title, definition);
    const first = byContent.get(hash)?.definition ?? definition;
    const models = [...first.models, ...definition.models];
    const distinct = [...new Map(models.map((model) => [JSON.stringify(model), model])).values()];
    byContent.set(hash, { title, definition: { ...first, models: distinct } });
    await setImmediate();
  }
  return [...byContent.values()];
}

function inlineCase(test: Test, index: number, vocabulary: Vocabulary): CaseDefinition {
  try {
    return caseOfTest(test, vocabulary);
  } catch (error) {
    throw error instanceof Refusal ? invalid(`tests.${index}.${error.message}`) : error;
  }
}

function caseOfTest(test: Test, vocabulary: Vocabulary): CaseDefinition {
  const { model, provider, advancedConfig, predicates } = test;
  const negative = oneSpelling(test, ['isNegative', 'isNegativeTest']);
  const floor = oneSpelling(test, ['runs', 'iterations']);
  const listed = Array.isArray(predicates) ? { mode: 'extend' as const, list: predicates } : predicates;
  const made = newCase(
    {
      steps: test.steps,
      expectedOutput: test.expectedOutput,
      scenario: test.scenario,
      intent: test.intent,
      matchOptions: test.matchOptions,
      checks: test.checks,
      suppressedSuiteStandardCheckIds: test.suppressedSuiteStandardCheckIds,
      ...(listed && { predicates: listed }),
      ...(model !== undefined && { models: [{ model, ...(provider !== undefined && { provider }) }] }),
      ...(negative && { isNegative: negative.value }),
      ...(floor && { runs: floor.value }),
    },
    vocabulary,
  );
  if (advancedConfig?.['failOnToolError'] === false) made.failOnToolError = false;
  return made;
}

function storedChecks(
  { mode, list }: NonNullable<GivenChecks>,
  vocabulary: Vocabulary,
  path: string,
): CaseDefinition['checks'] & object {
  const stored = list.map((check, index) => storedCheck(check, vocabulary, `${path}.${index}`));
  checkList(stored, path);
  return { mode, list: stored };
}

function checkSteps(steps: readonly Step[]): void {
  refuseProblems(
    steps.flatMap((step, index) =>
      step.kind === 'assert' && 'type' in step.assertion
        ? [{ check: step.assertion, path: `steps.${index}.assertion` }]
        : [],
    ),
  );
}

export function checkList(list: readonly Check[], path: string): void {
  refuseProblems(list.map((check, index) => ({ check, path: `${path}.${index}` })));
}

/** Maximum characters of all JSON schemas. Validation compiles each schema and blocks the event loop meanwhile. */
const largestSchemas = 65_536;

/** Problems beyond the shape: invalid patterns and schemas. */
function refuseProblems(checks: readonly { check: Check; path: string }[]): void {
  let left = largestSchemas;
  for (const { check, path } of checks) {
    if (check.type === 'toolResultMatchesSchema') left -= JSON.stringify(check.schema).length;
    if (left < 0)
      throw invalid(
        `${path}.schema: The schemas that stand together are at most ${largestSchemas.toLocaleString('en')} characters of JSON`,
      );
    refuseProblem(check, path);
  }
}

function refuseProblem(check: Check, path: string): void {
  const problem = authoringProblem(check);
  if (problem) throw invalid(`${[path, ...problem.path].join('.')}: ${problem.message}`);
}

/** A case without prompts calls no model; it calls tools and checks the results. */
export function promptsModel({ steps }: Pick<CaseDefinition, 'steps'>): boolean {
  return steps.some(({ kind }) => kind === 'prompt');
}

/** Hash of a case's title, steps and kind (negative or not), for finding duplicates. */
export function contentHash(title: string, { steps, isNegative }: CaseDefinition): string {
  const bare = steps.map(({ id: _, ...step }) => step);
  return createHash('sha256')
    .update(JSON.stringify(sortKeys([title, isNegative, bare])))
    .digest('hex');
}
