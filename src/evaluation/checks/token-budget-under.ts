import type { Usage } from '../evidence.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';

export const tokenBudgetUnder: CheckKind<'tokenBudgetUnder'> = {
  type: 'tokenBudgetUnder',
  stage: 'userValue',
  turnScopable: false,
  evaluate({ tokens }, { usage }) {
    const used = usedTokens(usage);
    if (used === undefined) return failed('How many tokens were used is not known');
    // No model answers without reading its prompt.
    if (used === 0) return failed('How many tokens were used is not known: the provider reported 0');
    const found = `${used} tokens were used; fewer than ${tokens} allowed`;
    return used < tokens ? passed(found) : failed(found);
  },
};

/** The larger of the total and the sum, where a provider gives both. */
function usedTokens(usage: Usage | undefined): number | undefined {
  const { inputTokens, outputTokens, totalTokens } = usage ?? {};
  const sum =
    inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens;
  const known = [sum, totalTokens].filter((count) => count !== undefined && Number.isFinite(count));
  return known.length === 0 ? undefined : Math.max(...(known as number[]));
}
