import { canonicalText } from '../json/value.ts';
import { mostSearched } from '../text/pattern.ts';
import { countFailsByAbsence, countMatches, patternProblem, type Unit, valueAt } from './shared/countable.ts';
import type { CheckKind } from './shared/kind.ts';
import { inScope } from './shared/scope.ts';

/** How many calls of a tool have arguments, or one argument, in which all patterns are found. */
export const toolInputMatches: CheckKind<'toolInputMatches'> = {
  type: 'toolInputMatches',
  stage: 'call',
  turnScopable: false,
  failsByAbsence: countFailsByAbsence,
  problem: patternProblem,
  evaluate(check, { toolCalls }) {
    const units = inScope(toolCalls, check.toolName).map((call): Unit => {
      if (call.invalid !== undefined) return 'unreadable';
      const value = check.path === undefined ? call.arguments : valueAt(check.path, call.arguments);
      if (value === undefined) return 'absent';
      const text = typeof value === 'string' ? value : canonicalText(value);
      return text === undefined || text.length > mostSearched ? 'unreadable' : { text };
    });
    return countMatches(check, units, 'call', false);
  },
};
