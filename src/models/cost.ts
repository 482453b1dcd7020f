import type { Usage } from './usage.ts';

/** USD per million tokens. */
interface Rates {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface Prices extends Rates {
  /** What the whole of a request costs whose input has more tokens than `above`. */
  longPrompt?: (Rates & { above: number }) | undefined;
}

export type Cost =
  | {
      usd: number;
      /** 1 credit is 1 cent. */
      credits: number;
      /** Thousandths of a credit, the smallest part that is charged; a part of one counts as a whole. */
      millicents: number;
    }
  | { usd?: undefined; unknown: string };

const perMillion = 1_000_000;
const millicentsPerUsd = 100_000;

/** What a call cost. Without a price or without the figures of the provider it is unknown, which is not the same as 0. */
export function costOf(usage: Usage, prices: Prices | undefined): Cost {
  if (prices === undefined) return { unknown: 'The model has no price' };
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  if (isFree(prices)) return { usd: 0, credits: 0, millicents: 0 };
  if (inputTokens === undefined || outputTokens === undefined)
    return { unknown: 'The provider did not say how many tokens were used' };
  const { longPrompt } = prices;
  const rates = longPrompt !== undefined && inputTokens > longPrompt.above ? longPrompt : prices;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const usd =
    (plain * rates.input +
      cacheReadTokens * rates.cacheRead +
      cacheWriteTokens * rates.cacheWrite +
      outputTokens * rates.output) /
    perMillion;
  // A sum of fractions may end a hair above the whole number it stands for.
  const millicents = Math.max(0, Math.ceil(usd * millicentsPerUsd - 1e-6));
  return { usd, credits: millicents / 1000, millicents };
}

/** Millionths of a dollar, whole; undefined when the cost is unknown. */
export function costMicros(usage: Usage, prices: Prices | undefined): number | undefined {
  const { usd } = costOf(usage, prices);
  return usd === undefined ? undefined : Math.round(usd * 1_000_000);
}

/** The size of a call in bytes: of all that the model is shown, and of what it has answered. */
export interface CallSize {
  input: number;
  output: number;
}

/** Bytes of a token, about. */
const ofToken = 4;

/** About what a call costs whose provider does not say how many tokens it took, in millionths of a dollar. */
export function sizedMicros({ input, output }: CallSize, prices: Prices): number {
  const usage = { inputTokens: Math.ceil(input / ofToken), outputTokens: Math.ceil(output / ofToken) };
  return costMicros(usage, prices) ?? 0;
}

/**
 * What a call costs at most, in millionths of a dollar: a byte of input for each token, all of it at the dearest rate, and
 * as long an answer as it may be.
 */
export function mostMicros(inputBytes: number, outputTokens: number, prices: Prices): number {
  const { longPrompt } = prices;
  const dear = longPrompt !== undefined && inputBytes > longPrompt.above ? [prices, longPrompt] : [prices];
  const ofInput = Math.max(
    ...dear.flatMap(({ input, cacheRead, cacheWrite }) => [input, cacheRead, cacheWrite]),
  );
  const ofOutput = Math.max(...dear.map(({ output }) => output));
  // USD per million tokens is millionths of a dollar per token.
  return Math.ceil(inputBytes * ofInput + outputTokens * ofOutput);
}

export function isFree({ longPrompt, ...rates }: Prices): boolean {
  return longPrompt === undefined && Object.values(rates).every((rate) => rate === 0);
}

export const free: Prices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
