import { oneLine } from '../common/harmless-text.ts';
import { type EvalRun, type Findings, isWaived } from './run-findings.ts';

/** The outcome of a run, from which the exit code and the closing line both follow. */
interface Conclusion {
  outcome: 'passed' | 'failed' | 'undecided';
  words: string;
}

/** A failure takes precedence over an undecided gate or verdict. A waiver covers the verdict, not the gate. */
export function conclusionOf({ run, gate }: Findings): Conclusion {
  const words = sentence(run);
  const { verdict } = run.decisionSummary;
  const failed = verdict === 'failed' && !isWaived(run);
  if (gate.outcome === 'failed') {
    const rules = rulesOf(gate, 'failed');
    const said = failed
      ? `${words}. The quality gate failed too: ${rules}`
      : `FAILED by the quality gate: ${rules}. Cases: ${words}`;
    return { outcome: 'failed', words: said };
  }
  if (failed) return { outcome: 'failed', words };
  if (gate.outcome === 'non_gateable') {
    const rules = rulesOf(gate, 'non_gateable');
    return {
      outcome: 'undecided',
      words: `NO VERDICT: the quality gate cannot be decided: ${rules}. Cases: ${words}`,
    };
  }
  return { outcome: verdict === 'passed' || verdict === 'failed' ? 'passed' : 'undecided', words };
}

export const ruleNames: Record<Findings['gate']['conditions'][number]['condition'], string> = {
  noGatingScoreErrors: 'no missing scores',
  maximumPassRateDrop: 'maximum pass rate drop',
  noDeterministicRegressions: 'no regressed checks',
  maximumP95LatencyIncreaseMs: 'maximum p95 latency increase',
};

/** The conditions of a gate in this state, with their messages. */
function rulesOf({ conditions, policyError }: Findings['gate'], state: 'failed' | 'non_gateable'): string {
  const found = conditions
    .filter(({ status }) => status === state)
    .map(({ condition, message }) => `${ruleNames[condition]} (${oneLine(message, 200)})`);
  return found.length === 0 ? oneLine(policyError ?? 'no rule is set', 200) : found.join(', ');
}

/** The verdict of a run, with its warnings. */
export function sentence(run: EvalRun): string {
  const warnings = (run.warnings ?? []).map(({ message }) => message);
  return warnings.length === 0
    ? verdictSentence(run)
    : `${verdictSentence(run)}. Warning: ${warnings.join(' ')}`;
}

function verdictSentence(run: EvalRun): string {
  const { verdict, counts } = run.decisionSummary;
  const unit = counts?.measurementUnit === 'trial' ? 'trials' : 'cases';
  const tally = counts ? ` (${counts.passed ?? 0} of ${counts.total ?? 0} ${unit} passed)` : '';
  const reasons = (run.decision?.['reasons'] ?? []) as string[];
  switch (verdict) {
    case 'passed':
      return `PASSED${tally}`;
    case 'failed':
      return isWaived(run) ? `FAILED${tally}, and waived: ${waiverOf(run)}` : `FAILED${tally}`;
    case 'inconclusive':
      return `INCONCLUSIVE: too little was measured to decide (${reasons.join(', ')})`;
    case 'notEstablished':
      return `NO VERDICT: the run is ${run.status.replace('_', ' ')}${run.error ? `. ${run.error}` : ''}`;
  }
}

function waiverOf({ gateWaiver }: EvalRun): string {
  if (!gateWaiver) return '';
  const until = new Date(gateWaiver.expiresAt).toISOString().slice(0, 10);
  const who = gateWaiver.createdByEmail ?? gateWaiver.createdBy;
  return `${oneLine(gateWaiver.reason, 200)} (${who}, until ${until})`;
}
