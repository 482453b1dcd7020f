import { expect, test } from 'vitest';
import { byDay } from './by-day.ts';

const at = (day: string, sessions: number) => ({ dayStartMs: Date.parse(day), sessions });
const sessions = ({ sessions: value }: { sessions: number }): number => value;

test('days without any stand between those with some, in order', () => {
  expect(byDay([at('2026-03-03', 2), at('2026-03-01', 1)], sessions)).toEqual([
    { day: '2026-03-01', value: 1 },
    { day: '2026-03-02', value: 0 },
    { day: '2026-03-03', value: 2 },
  ]);
});

test('of many days the last 30 are shown, of none nothing', () => {
  const shown = byDay([at('2020-01-01', 1), at('2026-03-03', 2)], sessions);
  expect([shown.length, shown[0]?.day, shown.at(-1)?.value]).toEqual([30, '2026-02-02', 2]);
  expect(byDay([], sessions)).toEqual([]);
});
