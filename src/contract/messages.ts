import type { z } from 'zod';

const units: Record<string, string> = { string: 'characters', array: 'items' };

/**
 * Message for an invalid value, in place of Zod's own, which speaks of inputs, NaN and expected types. `kinds` replaces
 * the names of types, for formats other than JSON.
 */
export function plainWords(
  issue: z.core.$ZodRawIssue,
  kinds: Readonly<Record<string, string>> = {},
): string | undefined {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type':
      return input === undefined
        ? 'Required'
        : `Must be ${kinds[issue.expected] ?? withArticle(issue.expected)}`;
    case 'invalid_value':
      return input === undefined ? 'Required' : oneOf(issue.values);
    case 'too_small':
      return bound('least', issue.minimum, issue.origin);
    case 'too_big':
      return bound('most', issue.maximum, issue.origin);
    default:
      return undefined;
  }
}

function withArticle(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function bound(which: 'least' | 'most', limit: number | bigint, origin: string): string {
  const unit = units[origin];
  const shown = limit.toLocaleString('en');
  if (unit === undefined) return `Must be at ${which} ${shown}`;
  return `Must have at ${which} ${shown} ${Number(limit) === 1 ? unit.slice(0, -1) : unit}`;
}

/** Error message with the problem and a correct example, for parts of a body that are often missing or malformed. */
export function writeLike(whole: string): { error: z.core.$ZodErrorMap } {
  return {
    error: (issue) => {
      const problem = problemOf(issue);
      return problem === undefined ? undefined : `${problem}; write ${whole}`;
    },
  };
}

function problemOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_value':
      return plainWords(issue, { record: 'an object' });
    case 'invalid_union': {
      // The discriminator is missing or has no known value.
      const { input, discriminator, options } = issue;
      const present = typeof input === 'object' && input !== null && String(discriminator) in input;
      return present && Array.isArray(options) ? oneOf(options) : 'Required';
    }
    default:
      return undefined;
  }
}

function oneOf(values: readonly unknown[]): string {
  return `Must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`;
}
