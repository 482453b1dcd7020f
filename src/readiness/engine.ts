import type { Capability, Check, Finding, Outcome } from './check.ts';
import { notEvaluated } from './check.ts';
import type { Evidence } from './evidence.ts';

/** Increase it when a check is added or its outcome can change. */
export const engineVersion = '1';
/** The day on which the directories' pages were last read. */
export const policySnapshotDate = '2026-11-01';

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

function outcomeOf(
  { requiresCapabilities = [], evaluate: judge }: Check,
  evidence: Evidence,
  capabilities: readonly string[],
): Outcome {
  const lacking = requiresCapabilities.filter((one) => !capabilities.includes(one));
  if (lacking.length === 0) return judge(evidence);
  return notEvaluated(reasons[lacking[0] as Capability], ...lacking);
}

const reasons: Record<Capability, string> = {
  'mcp-session': 'No MCP session with the server could be opened',
  'oauth-discovery': 'The OAuth metadata of the server could not be requested',
  'declared-inputs': 'The run has no declared inputs',
  'side-effects': 'The run may not have side effects; send allowSideEffects',
  browser: 'The run had no browser',
};
