import type { z } from 'zod';

const units: Record<string, string> = { string: 'characters', array: 'items' };

/**
 * What is wrong with a value, where zod's own words speak of inputs, NaN and expected types. `kinds` are names of types
 * for readers of another form than JSON.
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
      if (input === undefined) return 'Required';
      return `Must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
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
