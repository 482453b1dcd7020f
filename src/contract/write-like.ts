import type { z } from 'zod';

/** For a part of a body that is easily left out or misshapen: what is wrong with it, and how the whole is written. */
export function writeLike(whole: string): { error: z.core.$ZodErrorMap } {
  return {
    error: (issue) => {
      const problem = problemOf(issue);
      return problem === undefined ? undefined : `${problem}; write ${whole}`;
    },
  };
}

const words: Record<string, string> = { object: 'an object', record: 'an object', array: 'an array' };

function problemOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'Required';
      return `Must be ${words[issue.expected] ?? `a ${issue.expected}`}`;
    case 'invalid_value':
      return issue.input === undefined ? 'Required' : oneOf(issue.values);
    case 'invalid_union': {
      // The forms are told apart by one field, and it is this field that names none of them.
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
