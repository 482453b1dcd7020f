import { z } from 'zod';

export const vocabularyHeader = 'x-mcpjam-eval-vocabulary';

/** Header that selects the spelling of fields: with `2`, `gating` is `required` and `repetitions` is `iterations`. */
export const vocabulary = {
  headers: z.object({
    [vocabularyHeader]: z
      .enum(['1', '2'])
      .default('1')
      .describe('Spelling of fields in requests and responses. Default 1.'),
  }),
  varyBy: vocabularyHeader,
} as const;
