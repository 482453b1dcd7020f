import { expect, test } from 'vitest';
import { attentionOf, failingRuns } from './attention.ts';

const day = 86_400_000;
const now = 100 * day;
const run = (id: string, suiteId: string, createdAt: number, rest: object = {}) => ({
  id,
  suiteId,
  runNumber: createdAt,
  status: 'completed' as const,
  result: 'failed' as 'failed' | 'passed' | null,
  summary: { total: 4, passed: 3, failed: 1, passRate: 0.75 },
  createdAt,
  ...rest,
});

test('only the last run that ended counts, and not one that somebody cancelled', () => {
  const runs = [
    run('old failure', 'a', 1),
    run('then passed', 'a', 2, { result: 'passed' }),
    run('failed', 'b', 1),
    run('cancelled', 'b', 2, { status: 'cancelled', result: null }),
    run('running', 'b', 3, { status: 'running', result: null }),
    run('no verdict', 'c', 1, { status: 'timed_out', result: null, summary: null }),
  ];
  expect(failingRuns(runs).map(({ id }) => id)).toEqual(['failed', 'no verdict']);
});

test('a waiver takes a failure away until it is about to end', () => {
  const waiver = (active: boolean, left: number) => ({ active, expiresAt: now + left, reason: 'known' });
  const items = attentionOf({
    suites: [{ id: 'a', name: 'Ships' }],
    runs: ['a', 'b', 'c', 'd'].map((suiteId, at) => run(`run ${suiteId}`, suiteId, at)),
    waivers: new Map([
      ['run a', waiver(true, 2 * day)],
      ['run b', waiver(true, 20 * day)],
      ['run c', waiver(false, -day)],
      ['run d', null],
    ]),
    servers: [
      { id: 's', name: 'up', health: { state: 'passed', word: 'answers', detail: '', at: 1 } },
      { id: 't', name: 'down', health: { state: 'failed', word: 'unreachable', detail: 'refused', at: 1 } },
    ],
    now,
  });
  expect(items.map(({ name, state, words }) => [name, state, words])).toEqual([
    ['Suite #3', 'failed', '3 of 4 trials passed'],
    ['Suite #2', 'failed', '3 of 4 trials passed; its waiver has expired'],
    ['Ships #0', 'waived', 'Waiver expires within 48 h: known'],
    ['down', 'failed', 'unreachable: refused'],
  ]);
});
