import type { Usage } from './usage.ts';

/** USD per million tokens. */
interface Rates {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface Prices extends Rates {
  /** The rates for a whole request with more input tokens than `above`. */
  longPrompt?: (Rates & { above: number }) | undefined;
}

export type Cost =
  | {
      usd: number;
      /** 1 credit is 1 cent. */
      credits: number;
      /** Thousandths of a credit, the smallest unit charged, rounded up. */
      millicents: number;
    }
  | { usd?: undefined; unknown: string };

const perMillion = 1_000_000;
const millicentsPerUsd = 100_000;

/** The cost of a call. Without a price or usage it is unknown, which is not 0. */
export function costOf(usage: Usage, prices: Prices | undefined): Cost {
  if (prices === undefined) return { unknown: 'The model has no price' };
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  if (isFree(prices)) return { usd: 0, credits: 0, millicents: 0 };
  if (inputTokens === undefined || outputTokens === undefined)
    return { unknown: 'The provider did not report how many tokens were used' };
  const { longPrompt } = prices;
  const rates = longPrompt !== undefined && inputTokens > longPrompt.above ? longPrompt : prices;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const usd =
    (plain * rates.input +
      cacheReadTokens * rates.cacheRead +
      cacheWriteTokens * rates.cacheWrite +
      outputTokens * rates.output) /
    perMillion;
  // Tolerates floating-point errors slightly above a whole number.
  const millicents = Math.max(0, Math.ceil(usd * millicentsPerUsd - 1e-6));
  return { usd, credits: millicents / 1000, millicents };
}

/** Whole millionths of a dollar, or undefined if the cost is unknown. */
export function costMicros(usage: Usage, prices: Prices | undefined): number | undefined {
  const { usd } = costOf(usage, prices);
  return usd === undefined ? undefined : Math.round(usd * 1_000_000);
}

/** The size of a call in bytes: the whole input, and the answer. */
export interface CallSize {
  input: number;
  output: number;
}

/** Approximate bytes per token. */
const bytesPerToken = 4;

/** The approximate cost of a call without reported usage, in millionths of a dollar. */
export function sizedMicros({ input, output }: CallSize, prices: Prices): number {
  const usage = {
    inputTokens: Math.ceil(input / bytesPerToken),
    outputTokens: Math.ceil(output / bytesPerToken),
  };
  return costMicros(usage, prices) ?? 0;
}

/**
 * The maximum cost of a call, in millionths of a dollar: one token per byte of input at the highest rate, and the
 * longest possible answer.
 */
export function maxMicros(inputBytes: number, outputTokens: number, prices: Prices): number {
  const { longPrompt } = prices;
  const dear = longPrompt !== undefined && inputBytes > longPrompt.above ? [prices, longPrompt] : [prices];
  const ofInput = Math.max(
    ...dear.flatMap(({ input, cacheRead, cacheWrite }) => [input, cacheRead, cacheWrite]),
  );
  const ofOutput = Math.max(...dear.map(({ output }) => output));
  // USD per million tokens equals millionths of a dollar per token.
  return Math.ceil(inputBytes * ofInput + outputTokens * ofOutput);
}

export function isFree({ longPrompt, ...rates }: Prices): boolean {
  return longPrompt === undefined && Object.values(rates).every((rate) => rate === 0);
}

export const free: Prices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
