import { z } from 'zod';

export const vocabularyHeader = 'x-mcpjam-eval-vocabulary';

/** Which words a caller uses: `2` calls deciding checks `required`, and repetitions `iterations`. */
export const vocabulary = {
  headers: z.object({
    [vocabularyHeader]: z.enum(['1', '2']).default('1').describe('Which spellings are used; 1 if left out.'),
  }),
  varyBy: vocabularyHeader,
} as const;
