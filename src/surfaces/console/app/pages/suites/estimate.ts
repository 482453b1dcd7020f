import type { Output } from '../../api/index.ts';
import { median } from '../../kit/numbers.ts';
import type { PastRun } from './past.ts';
import type { Suite } from './suite-labels.ts';

type Case = Output<'listEvalCases'>['items'][number];
type Model = Output<'listModels'>['items'][number];

/** Estimate of a run, based on past runs of the suite. */
export interface Estimate {
  cases: number;
  trials: number;
  /** In USD; a range if only the bounds are known, undefined if unknown. */
  cost: { least: number; most: number } | undefined;
  /** Duration of all trials in sequence. */
  ms: number | undefined;
  /** Cases without data from past runs. */
  unknown: number;
}

/** Trials of a case under the rules of its suite. */
function trialsOf(one: Case, { settings }: Suite, override: number | undefined): number {
  const { policy, verdictPolicyDefaults: defaults, minimumIterations } = settings;
  const saved =
    policy === 'v2'
      ? (one.repetitions ?? defaults?.repetitions ?? 1)
      : Math.max(one.iterations ?? 1, minimumIterations ?? 1);
  return override ?? saved;
}

interface Spent {
  ms: number[];
  tokens: number[];
  /** Keyed by model. */
  cost: Map<string, number[]>;
}

export function estimateOf({
  suite,
  cases,
  past,
  override,
  model,
}: {
  suite: Suite;
  cases: readonly Case[];
  past: readonly PastRun[];
  override: number | undefined;
  /** The model of all cases, if they use only one. */
  model: Model | undefined;
}): Estimate {
  const spent = spentOn(past);
  const estimate: Estimate = { cases: cases.length, trials: 0, cost: undefined, ms: undefined, unknown: 0 };
  let [least, most, priced] = [0, 0, cases.length > 0];
  let ms = 0;
  for (const one of cases.filter(({ disabled }) => !disabled)) {
    const trials = trialsOf(one, suite, override) * Math.max(1, model ? 1 : one.models.length);
    estimate.trials += trials;
    const own = spent.get(one.id);
    if (!own) estimate.unknown++;
    ms += trials * (median(own?.ms ?? []) ?? 0);
    const bounds = costOfTrial(own, model);
    priced &&= bounds !== undefined;
    least += trials * (bounds?.least ?? 0);
    most += trials * (bounds?.most ?? 0);
  }
  return {
    ...estimate,
    ...(priced && { cost: { least, most } }),
    ...(estimate.unknown < cases.length && { ms }),
  };
}

/** Past cost with this model; otherwise past tokens at the model's prices. */
function costOfTrial(
  spent: Spent | undefined,
  model: Model | undefined,
): { least: number; most: number } | undefined {
  if (model?.offline) return { least: 0, most: 0 };
  const before = model ? spent?.cost.get(model.id) : [...(spent?.cost.values() ?? [])].flat();
  const known = median(before ?? []);
  if (known !== undefined) return { least: known, most: known };
  const tokens = median(spent?.tokens ?? []);
  if (tokens === undefined || !model?.prices) return undefined;
  const { input, output } = model.prices;
  return {
    least: (tokens * Math.min(input, output)) / 1_000_000,
    most: (tokens * Math.max(input, output)) / 1_000_000,
  };
}

function spentOn(past: readonly PastRun[]): Map<string, Spent> {
  const found = new Map<string, Spent>();
  for (const { states } of past)
    for (const { case: place, durationMs, tokensUsed, estimatedCostUsd } of states?.items ?? []) {
      const about = states?.cases[place];
      if (!about) continue;
      const own = found.get(about.testCaseId) ?? { ms: [], tokens: [], cost: new Map<string, number[]>() };
      found.set(about.testCaseId, own);
      if (durationMs !== null) own.ms.push(durationMs);
      if (tokensUsed !== null) own.tokens.push(tokensUsed);
      if (estimatedCostUsd !== null)
        own.cost.set(about.model, [...(own.cost.get(about.model) ?? []), estimatedCostUsd]);
    }
  return found;
}
