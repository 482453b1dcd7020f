import { expect, test } from 'vitest';
import { limitWords } from './limit-words.ts';

test('limits have words', () => {
  expect(limitWords('credits')).toBe('Credits this month');
  expect(limitWords('concurrentSwarmsPerDay')).toBe('Concurrent swarms per day');
});
