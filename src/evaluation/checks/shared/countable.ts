import type { CheckOf } from '../../../contract/eval-checks.ts';
import { isObject } from '../../../platform/json/is-object.ts';
import { compilePattern, newWork, type Pattern, type Work } from '../../text/pattern.ts';
import { quote } from '../../text/show.ts';
import { type AuthoringProblem, type CheckFinding, failed, missing, passed } from './kind.ts';
import { counted } from './scope.ts';

type Countable = CheckOf<'toolInputMatches'> | CheckOf<'toolResultMatches'>;

/** A text to search. `unreadable`: it exists but cannot be searched. */
export type Unit = { text: string } | 'absent' | 'unreadable';

/**
 * Counts the units that match all patterns, and compares with `min` and `max`. An unreadable unit may or may not match.
 */
export function countMatches(
  check: Countable,
  units: readonly Unit[],
  noun: string,
  mayHaveMore: boolean,
): CheckFinding {
  const patterns: Pattern[] = [];
  for (const source of check.patterns) {
    const compiled = compilePattern(source, check.flags);
    if ('problem' in compiled)
      return failed(`Pattern ${JSON.stringify(source)} cannot be used: ${compiled.problem}`);
    patterns.push(compiled.pattern);
  }
  const work = newWork();
  let sure = 0;
  let unsure = mayHaveMore ? Number.POSITIVE_INFINITY : 0;
  for (const unit of units) {
    const matches = matchesAll(unit, patterns, work);
    if (matches === undefined) unsure++;
    else if (matches) sure++;
  }
  const { min = 1, max = Number.POSITIVE_INFINITY } = check;
  const wanted =
    max === Number.POSITIVE_INFINITY ? `at least ${min}` : min === max ? `${min}` : `${min} to ${max}`;
  const found = `${counted(sure, noun)} of ${units.length} match; ${wanted} should`;
  if (sure + unsure < min) return failed(`${found}${lastText(units)}`);
  if (sure > max) return failed(found);
  if (sure >= min && sure + unsure <= max) return passed(found);
  return missing(
    mayHaveMore ? `Not all were recorded: ${found}` : `${counted(unsure, noun)} cannot be searched: ${found}`,
  );
}

/** Quotes the last readable unit. */
function lastText(units: readonly Unit[]): string {
  const last = units.findLast((unit) => typeof unit === 'object');
  return last ? `: the last is ${quote(last.text)}` : '';
}

function matchesAll(unit: Unit, patterns: readonly Pattern[], work: Work): boolean | undefined {
  if (unit === 'absent') return false;
  if (unit === 'unreadable') return undefined;
  let unsure = false;
  for (const pattern of patterns) {
    const matches = pattern.test(unit.text, work);
    if (matches === false) return false;
    unsure ||= matches === undefined;
  }
  return unsure ? undefined : true;
}

/** Resolves a JSON pointer of one segment. */
export function valueAt(pointer: string, value: unknown): unknown {
  const key = pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  if (Array.isArray(value)) return /^\d{1,9}$/.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function patternProblem(check: Countable): AuthoringProblem | undefined {
  for (const [index, source] of check.patterns.entries()) {
    const compiled = compilePattern(source, check.flags);
    if ('problem' in compiled)
      return { path: ['patterns', String(index)], message: `Cannot be used: ${compiled.problem}` };
  }
  return undefined;
}

/** Too few matches may be caused by a trial that was cut short; too many cannot. */
export function countFailsByAbsence({ min }: Countable): boolean {
  return min !== 0;
}
