import { expect, test } from 'vitest';
import { limitText } from './limit-labels.ts';

test('limits have words', () => {
  expect(limitText('credits')).toBe('Credits this month');
  expect(limitText('concurrentSwarmsPerDay')).toBe('Concurrent swarms per day');
});
