import { expect, test } from 'vitest';
import { trialsByDay } from './trials-by-day.ts';

const at = (time: string) => Date.parse(time);
const run = (time: string, finished: number) => ({ createdAt: at(time), progress: { finished } });

test('every day has a sum, those without runs too, by the calendar of UTC', () => {
  const runs = [
    run('2026-11-01T00:00:00Z', 2),
    run('2026-11-01T23:59:59Z', 3),
    run('2026-11-03T12:00:00Z', 5),
    run('2026-10-31T23:59:59Z', 100),
  ];
  expect(trialsByDay(runs, at('2026-11-01T00:00:00Z'), at('2026-11-03T09:00:00Z'))).toEqual([
    { day: '2026-11-01', value: 5 },
    { day: '2026-11-02', value: 0 },
    { day: '2026-11-03', value: 5 },
  ]);
});
