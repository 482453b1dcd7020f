import type { LanguageModelV3Usage } from '@ai-sdk/provider';

/** Tokens reported by the provider. Unreported values are absent, not 0. */
export interface Usage {
  /** Total input, including tokens read from and written to a cache. */
  inputTokens?: number;
  /** Total output, including reasoning. */
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
}

const names = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const satisfies (keyof Usage)[];

/** Where each protocol reports each value. */
const places: Record<keyof Usage, string[][]> = {
  inputTokens: [['prompt_tokens'], ['input_tokens']],
  outputTokens: [['completion_tokens'], ['output_tokens']],
  cacheReadTokens: [
    ['prompt_tokens_details', 'cached_tokens'],
    ['input_tokens_details', 'cached_tokens'],
    ['cache_read_input_tokens'],
  ],
  cacheWriteTokens: [
    ['prompt_tokens_details', 'cache_write_tokens'],
    ['input_tokens_details', 'cache_write_tokens'],
    ['cache_creation_input_tokens'],
  ],
  reasoningTokens: [
    ['completion_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'thinking_tokens'],
  ],
};

/** Maximum plausible value; a larger one is an error of the provider and would distort the sums of a run. */
const maxTokens = 1_000_000_000;

/**
 * The usage of one answer. The libraries report missing values as 0, so a 0 counts only if the raw response contains
 * it.
 */
export function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV3Usage): Usage {
  const counts = pick({
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    cacheReadTokens: inputTokens.cacheRead,
    cacheWriteTokens: inputTokens.cacheWrite,
    reasoningTokens: outputTokens.reasoning,
  });
  for (const name of names) if ((counts[name] ?? 0) > maxTokens) delete counts[name];
  if (raw !== undefined)
    for (const name of names) if (counts[name] === 0 && !isReported(raw, places[name])) delete counts[name];
  return counts;
}

function isReported(raw: object, paths: string[][]): boolean {
  return paths.some((path) => {
    let value: unknown = raw;
    for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
    return typeof value === 'number';
  });
}

/** Adds up the usage of several calls. A total is known only if every part is; unreported cache values count as 0. */
export function sumOfUsage(parts: readonly Usage[]): Usage {
  if (parts.length === 0) return {};
  const sum = (name: keyof Usage): number | undefined => {
    const known = parts.map((part) => part[name]).filter((count) => count !== undefined);
    const needed = name === 'inputTokens' || name === 'outputTokens' ? parts.length : 1;
    return known.length < needed ? undefined : known.reduce((total, count) => total + count, 0);
  };
  return pick(Object.fromEntries(names.map((name) => [name, sum(name)])));
}

function pick(counts: Partial<Record<keyof Usage, number | undefined>>): Usage {
  const usage: Usage = {};
  for (const name of names) {
    const count = counts[name];
    if (count !== undefined && Number.isSafeInteger(count) && count >= 0) usage[name] = count;
  }
  return usage;
}
