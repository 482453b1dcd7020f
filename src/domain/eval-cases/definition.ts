import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { Refusal } from '../../contract/errors.ts';
import type { CaseCreateRequest, InlineCase } from '../../contract/eval-cases.ts';
import type { CaseChecks, Check, StandardCheckId } from '../../contract/eval-checks.ts';
import type { Step } from '../../contract/eval-steps.ts';
import { authoringProblem, type PublicMatchOptions, publicMatchOptions } from '../../evaluation/index.ts';
import { sortKeys } from '../../platform/canonical.ts';
import { checkDocumentSize } from '../body-limits.ts';
import { invalid } from '../invalid.ts';
import { oneSpelling, storedCheck, storedSteps, type Vocabulary } from './vocabulary.ts';

/** A case as it is stored, under one spelling. */
export interface CaseDefinition {
  steps: Step[];
  expectedOutput?: string;
  /** At least so many trials. */
  iterations: number;
  /** Exactly so many. */
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
  /** A tool error fails the trial unless this says otherwise. */
  failOnToolError?: boolean;
  /** Kept, and not run. */
  disabled?: boolean;
}

type Written = z.output<typeof CaseCreateRequest>;
/** Fields of a request, any of which may be left out. */
type Given = {
  [Field in Exclude<keyof Written, 'intent' | 'kind' | 'import'>]?: Written[Field] | undefined;
} & {
  intent?: string | null | undefined;
  kind?: 'capability' | 'regression' | null | undefined;
  import?: Written['import'] | null;
};
type GivenChecks = z.output<typeof CaseChecks> | null;

/** What a request says about a case, laid over what the case is; `null` clears. */
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
 * `iterations` is a floor in the first vocabulary, and the exact count in the second, where the floor is called
 * `legacyIterations`. A count without a floor is the floor of a new case too.
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
 * Cases that are written inside the request that makes their suite or run; what is wrong with one says which. The same
 * case with several models is one case with several models. Others have a turn after each.
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

/** Characters of JSON. A schema is compiled to see whether it can be used, and while that is done nothing else is. */
const largestSchemas = 65_536;

/** What the shape alone does not show: patterns that cannot be read, schemas that cannot be used. */
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

/** A case without a prompt asks no model: it calls tools and looks at what comes. */
export function promptsModel({ steps }: Pick<CaseDefinition, 'steps'>): boolean {
  return steps.some(({ kind }) => kind === 'prompt');
}

/** Of what a case does, so that a second one that does the same is found. */
export function contentHash(title: string, { steps, isNegative }: CaseDefinition): string {
  const bare = steps.map(({ id: _, ...step }) => step);
  return createHash('sha256')
    .update(JSON.stringify(sortKeys([title, isNegative, bare])))
    .digest('hex');
}
