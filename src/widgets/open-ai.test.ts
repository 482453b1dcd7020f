import { expect, test } from 'vitest';
import { withOpenAi } from './open-ai.ts';

const shown = { input: {}, result: {}, height: 1 };

test('window.openai is there before any script of the widget', () => {
  const script = '<script>mine()</script>';
  const before = (html: string): string => withOpenAi(html, shown).split('<script>')[0] as string;
  expect(before(`<!doctype html><html><head lang="en">${script}</head></html>`)).toMatch(/<head lang="en">$/);
  expect(before(`<!doctype html>${script}`)).toBe('<!doctype html>');
  expect(before(script)).toBe('');
});

test('a widget that begins a tag again and again is not read for long', () => {
  const began = performance.now();
  for (const tag of ['<head ', '<!doctype ']) withOpenAi(tag.repeat(20_000), shown);
  expect(performance.now() - began).toBeLessThan(1_500);
});
