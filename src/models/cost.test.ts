import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Cost, costOf, free, type Prices } from './cost.ts';
import { sumOfUsage, type Usage, usageOf } from './usage.ts';

const prices: Prices = {
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite: 3.75,
  longPrompt: { above: 200_000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5 },
};

describe('the cost of a call', () => {
  test.each<[string, Usage, Prices | undefined, number | undefined]>([
    ['is tokens times price', { inputTokens: 1000, outputTokens: 100 }, prices, 450],
    [
      'counts a cache at its own price',
      { inputTokens: 1000, outputTokens: 0, cacheReadTokens: 600, cacheWriteTokens: 400 },
      prices,
      168,
    ],
    [
      'is that of long prompts for the whole of one',
      { inputTokens: 200_001, outputTokens: 1000 },
      prices,
      122_251,
    ],
    ['is that of others up to there', { inputTokens: 200_000, outputTokens: 1000 }, prices, 61_500],
    [
      'is a whole millicent when it is part of one',
      { inputTokens: 1, outputTokens: 0 },
      { ...free, input: 0.05 },
      1,
    ],
    ['is nothing for a free model, whatever it used', {}, free, 0],
    ['is nothing when nothing was used', { inputTokens: 0, outputTokens: 0 }, prices, 0],
    ['is unknown without a price', { inputTokens: 1, outputTokens: 1 }, undefined, undefined],
    ['is unknown without the input', { outputTokens: 1 }, prices, undefined],
    ['is unknown without the output', { inputTokens: 1 }, prices, undefined],
  ])('%s', (_, usage, given, millicents) => {
    const cost = costOf(usage, given);
    expect('millicents' in cost ? cost.millicents : undefined).toBe(millicents);
    expect('unknown' in cost).toBe(millicents === undefined);
  });

  test('is a whole number of millicents, no less than the price and less than one more', () => {
    const count = fc.nat(3_000_000);
    const price = fc.integer({ min: 0, max: 100_000 }).map((tenths) => tenths / 1000);
    fc.assert(
      fc.property(count, count, price, price, (inputTokens, outputTokens, input, output) => {
        const cost = costOf({ inputTokens, outputTokens }, { ...free, input, output }) as Extract<
          Cost,
          { usd: number }
        >;
        expect(Number.isInteger(cost.millicents)).toBe(true);
        const exact = (inputTokens * input + outputTokens * output) / 10;
        expect(cost.millicents).toBeGreaterThanOrEqual(exact - 1e-3);
        expect(cost.millicents).toBeLessThan(exact + 1);
      }),
    );
  });
});

describe('usage', () => {
  const nothing = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  const silent = { total: undefined, text: undefined, reasoning: undefined };

  test('that is not reported is absent', () => {
    expect(usageOf({ inputTokens: nothing, outputTokens: silent })).toEqual({});
    expect(
      usageOf({ inputTokens: { ...nothing, total: Number.NaN }, outputTokens: { ...silent, total: -1 } }),
    ).toEqual({});
  });

  test('that a library made up is absent', () => {
    const inputTokens = { total: 5, noCache: 5, cacheRead: 0, cacheWrite: undefined };
    const outputTokens = { total: 0, text: 0, reasoning: 0 };
    expect(usageOf({ inputTokens, outputTokens, raw: { prompt_tokens: 5 } })).toEqual({ inputTokens: 5 });
    const raw = { prompt_tokens: 5, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } };
    expect(usageOf({ inputTokens, outputTokens, raw })).toEqual({
      inputTokens: 5,
      outputTokens: 0,
      cacheReadTokens: 0,
    });
  });

  test('of several calls is known when that of each is', () => {
    expect(sumOfUsage([])).toEqual({});
    expect(
      sumOfUsage([
        { inputTokens: 1, outputTokens: 2 },
        { inputTokens: 3, outputTokens: 4, cacheReadTokens: 5 },
      ]),
    ).toEqual({
      inputTokens: 4,
      outputTokens: 6,
      cacheReadTokens: 5,
    });
    expect(sumOfUsage([{ inputTokens: 1, outputTokens: 2 }, { outputTokens: 4 }])).toEqual({
      outputTokens: 6,
    });
  });
});
