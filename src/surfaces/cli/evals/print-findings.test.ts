import { describe, expect, test } from 'vitest';
import { conclusionOf } from '../../findings/run-conclusion.ts';
import type { Findings } from '../../findings/run-findings.ts';
import { runReport } from '../../findings/run-report.ts';
import { exitCodes } from '../exit-codes.ts';
import { exitCodeOf } from './print-findings.ts';

const verdicts = ['passed', 'failed', 'inconclusive', 'notEstablished'] as const;
const gates = ['not_configured', 'passed', 'failed', 'non_gateable'] as const;

function findings(verdict: string, gate: string, waived: boolean): Findings {
  const status = gate === 'not_configured' ? [] : [gate];
  return {
    suite: { id: 'suite_1', name: 'Ships' },
    run: {
      id: 'run_1',
      status: 'completed',
      decision: { reasons: ['tooFewTrials'] },
      decisionSummary: {
        verdict,
        counts: { measurementUnit: 'caseVariant', total: 10, passed: 10 },
        diagnostics: { items: [] },
      },
      ...(waived && {
        gateWaiver: { active: true, reason: 'known', createdBy: 'u', createdByEmail: 'a@b.c', expiresAt: 0 },
      }),
    },
    comparison: undefined,
    gate: {
      outcome: gate,
      conditions: status.map((one) => ({
        condition: 'maximumPassRateDrop',
        status: one,
        message: 'The pass rate fell',
      })),
    },
  } as unknown as Findings;
}

describe.each(verdicts)('verdict %s', (verdict) => {
  test.each(gates.flatMap((gate) => [true, false].map((waived) => ({ gate, waived }))))(
    'gate $gate, waived $waived: the closing line says what the exit code says',
    ({ gate, waived }) => {
      const found = findings(verdict, gate, waived);
      const { words } = conclusionOf(found);
      const code = exitCodeOf(found);
      const said = /^PASSED|^FAILED \([^)]*\), and waived: /.test(words)
        ? exitCodes.passed
        : words.startsWith('FAILED')
          ? exitCodes.failed
          : exitCodes.incomplete;
      expect({ words, code }).toEqual({ words, code: said });
      // The output names the rule that decided.
      const gateDecides = gate === 'failed' || (gate === 'non_gateable' && code === exitCodes.incomplete);
      expect(words.includes('maximum pass rate drop (The pass rate fell)')).toBe(gateDecides);
      // Reports contain the same text.
      expect(runReport(found).summary).toBe(words);
    },
  );
});

test('a gate that fails beside a passed verdict ends in a line that says so, and names the rule', () => {
  const found = findings('passed', 'failed', false);
  expect(conclusionOf(found).words).toBe(
    'FAILED by the quality gate: maximum pass rate drop (The pass rate fell). Cases: PASSED (10 of 10 cases passed)',
  );
  expect(exitCodeOf(found)).toBe(exitCodes.failed);
});
