import { Refusal } from '../../../contract/errors.ts';
import {
  effectiveChecks,
  type PublicMatchOptions,
  renderedTool,
  resolveMatchOptions,
} from '../../../evaluation/index.ts';
import type { ApiKeys, ModelChoice, ModelRoute } from '../../../models/resolve.ts';
import { resolveModel } from '../../../models/resolve.ts';
import type { CaseRow } from '../../../platform/database/queries/eval-cases.ts';
import { invalidBecause } from '../../base/refusals.ts';
import type { Services } from '../../context/context.ts';
import { type CaseDefinition, promptsModel } from '../../eval-suites/cases/definition.ts';
import type { Suite } from '../../eval-suites/suite.ts';
import { type Selection } from '../../execution/selection.ts';
import { judgingRoute } from '../../judging/ask-judge.ts';
import type { ImportApprovals } from '../import-eligibility.ts';
import { noModel, type PlannedCase, type PlannedVariant } from '../snapshot.ts';

/** Settings of the launch request that override the saved ones. */
export interface Overrides {
  model?: string | undefined;
  provider?: string | undefined;
  iterationOverride?: number | undefined;
  matchOptionsOverride?: PublicMatchOptions | undefined;
  apiKeys: ApiKeys;
  approved: ImportApprovals;
}

export interface Plan {
  cases: PlannedCase[];
  /** All models in use. */
  routes: ModelRoute[];
  /** The model of the judge, if it calls one. */
  judge: ModelRoute | undefined;
  modelId: string | undefined;
  modelSource: 'client_default' | 'override' | 'case' | undefined;
}

const maxCases = 500;
const maxTrials = 50_000;
/** Maximum characters of JSON. Every case carries the checks of its suite, so a plan may be larger than its suite. */
const maxPlanLength = 33_554_432;

/**
 * Resolves every enabled case to models, trials and checks. Refuses cases that cannot run, with the reason for each.
 */
export function planRun(
  { models, config }: Pick<Services, 'models' | 'config'>,
  suite: Suite,
  rows: readonly CaseRow[],
  selection: Selection,
  overrides: Overrides,
): Plan {
  const { model: chosen, source } = modelOfRun(suite, selection, overrides);
  const routes = new Map<string, ModelRoute>();
  const unrunnable: { caseId: string; title: string; reason: string }[] = [];
  const cases = rows.flatMap((row) => {
    const definition = row.definition as CaseDefinition;
    if (definition.disabled) return [];
    const problem = problemOf(row, definition, selection, overrides);
    const choices = choicesFor(suite, definition, chosen);
    if (problem !== undefined || choices.length === 0) {
      const reason = problem ?? 'No model is set for the case or the suite';
      unrunnable.push({ caseId: row.id, title: row.title, reason });
      return [];
    }
    const all = choices.map((choice) => variantOf(choice, models, overrides.apiKeys, routes));
    const variants = [...new Map(all.map((variant) => [variant.model, variant])).values()];
    return [plannedCase(suite, row, definition, variants, overrides)];
  });
  if (unrunnable.length > 0) throw cannotRun(unrunnable);
  if (cases.length === 0)
    throw rows.length === 0
      ? invalidBecause('The suite has no cases. Add one first', 'NO_CASES')
      : invalidBecause('All cases are disabled. Enable one first', 'NO_ENABLED_CASES');
  checkSize(cases, config.maxModelCalls);
  const { judge } = suite.settings;
  const judging = judge.enabled ? judgingRoute(models, judge.model, overrides.apiKeys) : undefined;
  return {
    cases,
    routes: [...routes.values()],
    judge: judging,
    modelId: chosen?.model,
    modelSource: cases.some(({ variants }) => variants[0] !== noModel) ? (source ?? 'case') : undefined,
  };
}

/**
 * The model for all cases: from the request; otherwise from the environment; otherwise from the client, if the suite
 * has none. Empty if each case uses its own model or that of the suite.
 */
function modelOfRun(
  suite: Suite,
  { composition, client }: Selection,
  { model, provider }: Overrides,
): { model?: ModelChoice; source?: 'override' | 'client_default' } {
  if (model !== undefined) return { model: { model, provider }, source: 'override' };
  if (composition) return { model: { model: composition.model.id }, source: 'client_default' };
  const own = client?.config['modelId'];
  if (client && typeof own === 'string' && suite.execution?.model === undefined)
    return { model: { model: own }, source: 'client_default' };
  return {};
}

function choicesFor(
  { execution }: Suite,
  definition: CaseDefinition,
  chosen: ModelChoice | undefined,
): (ModelChoice | typeof noModel)[] {
  if (!promptsModel(definition)) return [noModel];
  if (chosen) return [chosen];
  if (definition.models.length > 0) return definition.models;
  const { model, provider } = execution ?? {};
  return model === undefined ? [] : [{ model, provider }];
}

function variantOf(
  choice: ModelChoice | typeof noModel,
  catalog: Services['models'],
  apiKeys: ApiKeys,
  routes: Map<string, ModelRoute>,
): PlannedVariant {
  if (choice === noModel) return noModel;
  const { route, problem } = resolveModel(catalog, choice, apiKeys);
  if (problem) {
    const { message, ...details } = problem;
    throw new Refusal('VALIDATION_ERROR', `model: ${message}`, {
      details: {
        model: details.model,
        provider: details.provider ?? null,
        hostedModels: details.hostedModels,
      },
    });
  }
  routes.set(route.pool, route);
  return { model: route.id, provider: route.provider };
}

function problemOf(
  row: CaseRow,
  { steps, import: claim }: CaseDefinition,
  { servers }: Selection,
  { approved }: Overrides,
): string | undefined {
  if (claim && /^un/.test(claim.status)) return `Imported as ${claim.status}`;
  if (claim?.status === 'approximated' && !approved.has(row.id))
    return 'Only approximates the imported original. Approve it with importApprovals';
  for (const step of steps) {
    if (step.kind !== 'toolCall') continue;
    const known = servers.some(({ id, name }) =>
      step.serverId === undefined ? name === step.serverName : id === step.serverId,
    );
    if (!known)
      return `Step ${step.id} calls a tool of ${JSON.stringify(step.serverName)}, which is not among the servers of this run`;
  }
  return undefined;
}

function plannedCase(
  { settings }: Suite,
  { id, declaredId, title }: CaseRow,
  definition: CaseDefinition,
  variants: PlannedVariant[],
  { iterationOverride, matchOptionsOverride }: Overrides,
): PlannedCase {
  const { steps, isNegative, expectedOutput, intent, checks, suppressed, matchOptions } = definition;
  const effective = effectiveChecks({
    suite: settings.checks,
    case: checks ?? { mode: 'inherit', list: [] },
    suppressed: suppressed ?? [],
    renderedTool: renderedTool(steps),
  });
  const saved =
    settings.policy === 2
      ? (definition.repetitions ?? settings.repetitions ?? 1)
      : Math.max(definition.iterations, settings.minimumIterations ?? 1);
  return {
    id,
    declaredId,
    title,
    steps,
    isNegative,
    ...(expectedOutput !== undefined && { expectedOutput }),
    ...(intent !== undefined && { intent }),
    checks: effective,
    match: resolveMatchOptions(settings.matchOptions, matchOptions, matchOptionsOverride),
    failOnToolError: definition.failOnToolError ?? true,
    trials: iterationOverride ?? saved,
    passThreshold: definition.passThreshold ?? settings.passThreshold ?? 1,
    variants,
    ...(definition.judge?.enabled === false && { judged: false }),
  };
}

function cannotRun(unrunnable: { caseId: string; title: string; reason: string }[]): Refusal {
  const [first] = unrunnable as [(typeof unrunnable)[0]];
  const others = unrunnable.length > 1 ? ` (and ${unrunnable.length - 1} more)` : '';
  return new Refusal(
    'VALIDATION_ERROR',
    `The case ${JSON.stringify(first.title)} cannot run: ${first.reason}${others}`.slice(0, 500),
    { details: { reason: 'UNRUNNABLE_CASES', unrunnableCases: unrunnable.slice(0, 100) } },
  );
}

function checkSize(cases: readonly PlannedCase[], cap: number): void {
  let totalCalls = 0;
  let trials = 0;
  for (const { steps, trials: each, variants } of cases) {
    trials += each * variants.length;
    totalCalls += each * variants.length * steps.filter(({ kind }) => kind === 'prompt').length;
  }
  if (totalCalls > cap)
    throw new Refusal(
      'VALIDATION_ERROR',
      `The run would send ${totalCalls} prompts; the limit is ${cap}. Choose fewer cases with caseIds, or fewer iterations`,
      { details: { totalCalls, cap } },
    );
  if (cases.length > maxCases || trials > maxTrials)
    throw new Refusal(
      'VALIDATION_ERROR',
      `A run has at most ${maxCases} cases and ${maxTrials.toLocaleString('en')} trials. Choose fewer cases with caseIds, or fewer iterations`,
      { details: { cases: cases.length, trials } },
    );
  let size = 0;
  for (const one of cases) {
    size += JSON.stringify(one).length;
    if (size > maxPlanLength)
      throw invalidBecause(
        'The cases with the checks of the suite are too large for one run. Choose fewer with caseIds',
        'RUN_TOO_LARGE',
        { limit: maxPlanLength },
      );
  }
}
