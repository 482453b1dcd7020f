import type { TrialEvidence } from '../../src/evaluation/evidence.ts';
import { defaultMatchOptions } from '../../src/evaluation/matching/options.ts';
import type { TrialOutcome } from '../../src/evaluation/outcome.ts';
import type { TrialPlan } from '../../src/evaluation/plan.ts';
import { type Grade, gradeTrial } from '../../src/evaluation/trial.ts';
import { call, complete, evidence, result, tool } from './evidence.ts';

export const find = call('find', { city: 'Kiel' }, { toolCallId: '1' });
const expected = [{ toolName: 'find', arguments: { city: 'Kiel' } }];
export const listed = { inventory: complete(tool('find')), declarations: complete(tool('find')) };
export const good: Partial<TrialEvidence> = {
  ...listed,
  finalText: 'In Kiel.',
  toolCalls: [find],
  toolResults: complete(result('find', { toolCallId: '1' })),
};

export function plan(
  over: Partial<TrialPlan> & { expected?: TrialPlan['turns'][number]['expected'] } = {},
): TrialPlan {
  const { expected: wanted = expected, ...rest } = over;
  return {
    turns: [{ promptIndex: 0, kind: 'prompt', prompt: 'Where?', expected: wanted }],
    steps: [],
    isNegative: false,
    match: defaultMatchOptions,
    checks: [],
    ...rest,
  };
}

export function chain(
  planned: TrialPlan,
  happened: Partial<TrialEvidence>,
  over: Partial<TrialOutcome> = {},
): Grade {
  return gradeTrial(planned, { status: 'completed', evidence: evidence(happened), steps: [], ...over });
}

/** One word for each stage: what it is, or why. */
export function states({ stageResults }: Grade): string {
  const short = { passed: 'ok', notReached: '-', notApplicable: '/' } as Record<string, string>;
  return stageResults
    .map(({ state, reason = '' }) => short[state] ?? (state === 'failed' ? `!${reason}` : reason))
    .join(' ');
}
