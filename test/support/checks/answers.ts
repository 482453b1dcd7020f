import { evidence } from '../evidence.ts';
import { type CheckExample, examples } from './example.ts';

const finalText = 'The ship is in Kiel.\n\nShall I book it?';

/** Examples for checks of the answer and of the resources it used. */
export const answerExamples: CheckExample[] = [
  ...examples(
    'responseContains',
    [{ needle: 'KIEL' }, { finalText }, 'passed'],
    [{ needle: 'KIEL', caseSensitive: true }, { finalText }, 'failed', 'ship'],
    [{ needle: 'Kiel' }, {}, 'failed', 'no answer'],
  ),
  ...examples(
    'responseMatches',
    [{ pattern: 'K[a-z]{3}\\.' }, { finalText }, 'passed'],
    [{ pattern: '^K' }, { finalText }, 'failed'],
    [{ pattern: '\\u004biel' }, { finalText }, 'passed'],
    [{ pattern: '(a+)+$' }, { finalText: `${'a'.repeat(50_000)}!` }, 'failed', 'does not match'],
    [{ pattern: '(?=K)' }, { finalText }, 'failed', 'lookahead'],
    [{ pattern: '(K)\\1' }, { finalText }, 'failed', 'backreferences'],
    [{ pattern: 'K' }, { finalText: 'K'.repeat(100_001) }, 'failed', '100,000'],
    [{ pattern: '(a|b)*a(a|b){300}[cd]' }, { finalText: 'ab'.repeat(20_000) }, 'error', 'too long'],
  ),
  ...examples(
    'responseCloseTo',
    [{ reference: 'Kiel', maxDistance: 0 }, { finalText: 'kiel' }, 'passed'],
    [{ reference: 'Kiel', maxDistance: 0, caseSensitive: true }, { finalText: 'kiel' }, 'failed', '0.25'],
    [{ reference: 'a  b', maxDistance: 0, normalizeWhitespace: true }, { finalText: ' a\nb ' }, 'passed'],
    [{ reference: '🚢🚢', maxDistance: 0.5 }, { finalText: '🚢⛵' }, 'passed', '0.5'],
    [{ reference: 'abc', maxDistance: 0.9 }, { finalText: 'xyz' }, 'failed'],
    [{ reference: 'abc', maxDistance: 1 }, {}, 'error', 'no answer'],
    [{ reference: ' ', maxDistance: 1, normalizeWhitespace: true }, { finalText }, 'error', 'empty'],
    [{ reference: 'a'.repeat(3000), maxDistance: 1 }, { finalText: 'b'.repeat(3000) }, 'error', 'too long'],
    [{ reference: 'a', maxDistance: 1 }, { finalText: 'b'.repeat(100_001) }, 'error', '100,000'],
    [
      { reference: `${'a'.repeat(40_000)}x`, maxDistance: 0.1 },
      { finalText: `${'a'.repeat(40_000)}y` },
      'passed',
    ],
  ),
  ...examples(
    'finalAssistantMessageNonEmpty',
    [{}, { finalText }, 'passed'],
    [{}, { finalText: ' \n' }, 'failed'],
  ),
  ...examples(
    'noEndingQuestion',
    [{}, { finalText: 'Shall I? No.' }, 'passed'],
    [{}, {}, 'passed'],
    [{}, { finalText: `${finalText} \n\n` }, 'failed', 'Shall I book it?'],
  ),
  ...examples(
    'tokenBudgetUnder',
    [{ tokens: 10 }, { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } }, 'failed'],
    [{ tokens: 10 }, { usage: { totalTokens: 0 } }, 'failed'],
    [{ tokens: 10 }, { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 9 } }, 'passed'],
    [{ tokens: 100 }, { usage: { inputTokens: 50, outputTokens: 49 } }, 'passed'],
    [{ tokens: 100 }, { usage: { inputTokens: 50, outputTokens: 50 } }, 'failed', '100 tokens'],
    [{ tokens: 100 }, { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 200 } }, 'failed', '200'],
    [{ tokens: 100 }, { usage: { totalTokens: 5 } }, 'passed'],
    [{ tokens: 100 }, { usage: { inputTokens: 5 } }, 'failed', 'unknown'],
    [{ tokens: 100 }, {}, 'failed', 'unknown'],
  ),
  ...examples(
    'turnCountUnder',
    [{ turns: 3 }, { turnCount: 2 }, 'passed'],
    [{ turns: 3 }, { turnCount: 3 }, 'failed'],
    [{ turns: 3 }, { ...evidence() }, 'failed', 'unknown'],
    [{ turns: 3 }, { turnCount: -1 }, 'failed', 'unknown'],
  ),
];
