import type { ToolResult } from '../evidence.ts';
import { canonicalText } from '../json/value.ts';
import { mostSearched } from '../text/pattern.ts';
import { countFailsByAbsence, countMatches, patternProblem, type Unit, valueAt } from './shared/countable.ts';
import type { CheckKind } from './shared/kind.ts';
import { searchableText } from './shared/results.ts';
import { inScope } from './shared/scope.ts';

/** How many results, or one value of each, all patterns are found in. */
export const toolResultMatches: CheckKind<'toolResultMatches'> = {
  type: 'toolResultMatches',
  stage: 'response',
  turnScopable: false,
  failsByAbsence: countFailsByAbsence,
  problem: patternProblem,
  evaluate(check, { toolResults: { state, items } }) {
    const units = inScope(items, check.toolName).map((result) => unitOf(result, check.path));
    return countMatches(check, units, 'result', state !== 'complete');
  },
};

function unitOf(result: ToolResult, path: string | undefined): Unit {
  if (!result.whole) return 'unreadable';
  if (path === undefined) return readable(searchableText(result));
  const value = valueAt(path, result.structuredContent ?? result.json);
  if (value === undefined) return 'absent';
  return readable(typeof value === 'string' ? value : canonicalText(value));
}

function readable(text: string | undefined): Unit {
  return text === undefined || text.length > mostSearched ? 'unreadable' : { text };
}
