import * as plans from '../../platform/database/queries/plans.ts';
import type { Services } from '../context/context.ts';

/** Budgets of a plan. `period` says how often the count resets, at UTC midnight. */
export const budgets = {
  credits: { period: 'month', meaning: 'credits for model-backed work' },
  insightsPerDay: { period: 'day', meaning: 'insight requests' },
  journeyLaunchesPerDay: { period: 'day', meaning: 'journey launches' },
  generationsPerDay: { period: 'day', meaning: 'draft generations' },
} as const;

export type Budget = keyof typeof budgets;

/** Concurrency limits, counted from live rows, not from the ledger. */
export const concurrencies = {
  concurrentEvalRuns: 'eval runs at once',
  concurrentChatTurns: 'chat turns at once',
} as const;

export interface EffectivePlan {
  name: string;
  /** `null` means no limit. */
  limits: Record<string, number | null>;
  features: Record<string, boolean>;
}

/** The organization's plan with the deployment's defaults filled in. */
export async function limitsOf(
  services: Pick<Services, 'db' | 'config'>,
  organizationId: string,
): Promise<EffectivePlan> {
  const plan = await services.db.row(plans.ofOrganization, { organizationId });
  const unlimited = Object.fromEntries(Object.keys(budgets).map((name) => [name, null]));
  const { maxConcurrentEvalRuns, maxConcurrentChatTurns } = services.config;
  const atOnce = { concurrentEvalRuns: maxConcurrentEvalRuns, concurrentChatTurns: maxConcurrentChatTurns };
  return {
    name: plan?.name ?? 'self-hosted',
    limits: { ...unlimited, ...atOnce, ...plan?.limits },
    features: plan?.features ?? {},
  };
}
