import { expect, test } from 'vitest';
import { discoveryIn, insightsIn } from './candidates.ts';

test('whatever the insights of a wave hold can be shown', () => {
  for (const odd of [undefined, null, 7, 'text', [], { candidates: 'x' }, { findings: {} }]) {
    expect(insightsIn(odd).candidates).toEqual([]);
    expect(discoveryIn(odd)).toEqual([]);
  }
  const odd = {
    candidates: [null, { subject: 4, affectedSessions: 'x', evidenceSessionIds: [1, 'chat_1'] }],
  };
  expect(insightsIn(odd).candidates[1]).toMatchObject({ subject: '', affected: 0, sessionIds: ['chat_1'] });
  expect(discoveryIn({ findings: [{ title: 'x'.repeat(9_000), suggestedCheck: [] }] })[0]).toMatchObject({
    title: `${'x'.repeat(2_000)}…`,
    check: undefined,
  });
});

test('what a model has explained comes before what was only counted', () => {
  const given = {
    summary: '3 of 3 sessions could be analyzed.',
    candidates: [{ fingerprint: 'a', detector: 'tool_errored', rootCause: 'It is slow.' }],
    unnarratedCandidates: [{ fingerprint: 'b', detector: 'goal_missed' }],
  };
  expect(insightsIn(given)).toMatchObject({
    summary: given.summary,
    candidates: [{ detector: 'tool_errored', rootCause: 'It is slow.' }, { detector: 'goal_missed' }],
  });
});
