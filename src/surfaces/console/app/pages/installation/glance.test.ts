import { expect, test } from 'vitest';
import { glanceOf } from './glance.ts';

const database = {
  version: '18',
  embedded: true,
  bytes: 1,
  connections: { total: 1, idle: 1, waiting: 0, most: 10 },
};
const ready = { id: 'm', name: 'm', provider: 'p', state: 'ready' as const, pausedUntil: null };
const queue = { kind: 'eval trial', waiting: 1, running: 0, failed: null };

test('work that waits too long comes first, and what is well is said too', () => {
  const words = glanceOf(
    {
      database,
      models: [ready, { ...ready, id: 'n', state: 'paused' }],
      queues: [{ ...queue, oldestDueAt: 0 }],
      failures: [{ id: 'j', kind: 'k', error: null, attempts: 3, failedAt: 1 }],
    },
    120_000,
  );
  expect(words.map(({ state }) => state)).toEqual(['failed', 'attention', 'attention', 'passed']);
  expect(words[0]?.words).toBe('eval trial waiting for more than a minute');
});

test('nothing to do is said so', () => {
  const words = glanceOf(
    { database, models: [ready], queues: [{ ...queue, oldestDueAt: 119_000 }], failures: [] },
    120_000,
  );
  expect(words.map((one) => one.words)).toEqual(['All clear', '1 model is ready']);
});
