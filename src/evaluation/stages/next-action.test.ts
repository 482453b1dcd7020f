import { expect, test } from 'vitest';
import { failureCategories } from '../stage.ts';
import { nextAction } from './next-action.ts';

test('there is one sentence of advice for each category, and one for none', () => {
  const sentences = [...failureCategories, undefined].map(nextAction);
  expect(new Set(sentences).size).toBe(failureCategories.length + 1);
});
