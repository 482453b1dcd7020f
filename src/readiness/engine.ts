import type { Capability, Check, Finding, Outcome } from './check.ts';
import { notEvaluated } from './check.ts';
import type { Evidence } from './evidence.ts';

/** Grows when a check is added, or judges otherwise. */
export const engineVersion = '1';
/** When the pages of the directories were read. */
export const policySnapshotDate = '2026-11-01';

/** Every check, looked at once. */
export function evaluate(
  checks: readonly Check[],
  evidence: Evidence,
  capabilities: readonly string[],
  evaluatedAt: number,
): Finding[] {
  return checks.map((check) => {
    const { id, title, lane, provenance, intrusiveness, source, remediation, requiresCapabilities } = check;
    const outcome = outcomeOf(check, evidence, capabilities);
    return {
      id,
      title,
      lane,
      class: check.class,
      provenance,
      intrusiveness,
      source: { ...source, policySnapshotDate },
      remediation,
      ...(requiresCapabilities && { requiresCapabilities: [...requiresCapabilities] }),
      ...outcome,
      evaluatedAt,
      engineVersion,
    };
  });
}

/** Nothing is said about what the run had no means to look at. */
function outcomeOf(
  { requiresCapabilities = [], evaluate: judge }: Check,
  evidence: Evidence,
  capabilities: readonly string[],
): Outcome {
  const lacking = requiresCapabilities.filter((one) => !capabilities.includes(one));
  if (lacking.length === 0) return judge(evidence);
  return notEvaluated(wordsFor[lacking[0] as Capability], ...lacking);
}

const wordsFor: Record<Capability, string> = {
  'mcp-session': 'No session with the server came about',
  'oauth-discovery': 'The server could not be asked for its OAuth metadata',
  'declared-inputs': 'Nothing was declared for this run',
  'side-effects': 'The run was not allowed to do anything that leaves traces; send allowSideEffects',
  browser: 'No browser was available to the run',
};
