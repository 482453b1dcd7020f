import { RE2JS, RE2JSException } from 're2js';
import { asUnits, translateJavaScript } from './javascript.ts';

/** Maximum work in instructions times characters. Each takes about 30 ns, so the budget lasts a sixth of a second. */
const maxWork = 5_000_000;
const maxInstructions = 2_000;
/** Maximum characters of a text that is searched. */
export const maxSearched = 100_000;

/** The remaining budget of matching, shared by all patterns of one request. */
export interface Work {
  left: number;
}

export function newWork(): Work {
  return { left: maxWork };
}

/** A pattern that matches in time linear in the text (RE2). */
export interface Pattern {
  /** Number of instructions. */
  size: number;
  /** Undefined: the text or the required work exceeds the limits. */
  test(text: string, work: Work): boolean | undefined;
}

/** A `\1` or `\k<name>` whose backslash is not escaped. Translation would treat it as plain text. */
const backreference = /(?:^|[^\\])(?:\\\\)*\\(?:[1-9]|k<)/;

export type CompiledPattern = { pattern: Pattern } | { problem: string };

/** Compiles an expression in RE2 syntax, or returns why it cannot be used. */
export function compilePattern(source: string, flags = ''): CompiledPattern {
  const tooLong = repetitionProblem(source);
  if (tooLong !== undefined) return { problem: tooLong };
  if (backreference.test(source)) return { problem: 'RE2 has no backreferences' };
  let compiled = compile(source, flags);
  // JavaScript has escapes that RE2 spells differently, like \u00e9.
  if ('problem' in compiled) compiled = translated(source, flags) ?? compiled;
  return bounded(compiled, (text) => text);
}

/**
 * Compiles an expression with its JavaScript meaning. `unicode`: as with the flag `u`, unless the expression is valid
 * only without it, as in many schemas.
 */
export function compileJavaScript(source: string, { unicode = false } = {}): CompiledPattern {
  let expression = translateJavaScript(source, { unicode });
  if (unicode && 'problem' in expression) expression = translateJavaScript(source, { unicode: false });
  if ('problem' in expression) return expression;
  const tooLong = repetitionProblem(expression.shape);
  if (tooLong !== undefined) return { problem: tooLong };
  return bounded(compile(expression.re2, ''), expression.unicode ? (text) => text : asUnits);
}

function bounded(compiled: Compiled, prepared: (text: string) => string): CompiledPattern {
  if ('problem' in compiled) return compiled;
  const { expression } = compiled;
  const size = expression.programSize();
  if (size > maxInstructions) return { problem: 'it is too large' };
  return {
    pattern: {
      size,
      test(text, work) {
        const cost = (text.length + 1) * size;
        if (text.length > maxSearched || cost > work.left) return undefined;
        work.left -= cost;
        return expression.test(prepared(text));
      },
    },
  };
}

type Compiled = { expression: RE2JS } | { problem: string };

function compile(source: string, flags: string): Compiled {
  try {
    return { expression: RE2JS.compile(source, flagsOf(flags)) };
  } catch (error) {
    if (error instanceof RE2JSException || error instanceof RangeError)
      return { problem: whyNot(source, error) };
    throw error;
  }
}

function translated(source: string, flags: string): Compiled | undefined {
  const compiled = compile(RE2JS.translateRegExp(source), flags);
  return 'problem' in compiled ? undefined : compiled;
}

function flagsOf(flags: string): number {
  return (
    (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes('m') ? RE2JS.MULTILINE : 0) |
    (flags.includes('s') ? RE2JS.DOTALL : 0)
  );
}

function whyNot(source: string, error: Error): string {
  if (/\(\?<?[=!]/.test(source)) return 'RE2 has no lookahead and no lookbehind';
  return error.message.replace(/^error parsing regexp: /, '');
}

/**
 * Refuses large counted repetitions before compiling, because compilation expands them: a short pattern can expand to a
 * very long one.
 */
function repetitionProblem(source: string): string | undefined {
  if (estimatedSize(source) <= maxInstructions) return undefined;
  return `its counted repetitions stand for more than ${maxInstructions.toLocaleString('en')} parts`;
}

/** An upper bound for the number of parts after expansion of repetitions. */
function estimatedSize(source: string): number {
  /** For each open group, its size so far and the size of its last part. */
  const open: { total: number; last: number }[] = [];
  let group = { total: 1, last: 1 };
  for (let at = 0; at < source.length; at++) {
    const character = source[at];
    if (character === '{') {
      const times = repetitions(source, at);
      group.total += group.last * times;
      group.last *= Math.max(times, 1);
    } else if (character === '(') {
      open.push(group);
      group = { total: 1, last: 1 };
    } else if (character === ')') {
      const inner = group.total + 1;
      group = open.pop() ?? { total: 1, last: 1 };
      group = { total: group.total + inner, last: inner };
    } else if (character !== '}' && character !== '*' && character !== '+' && character !== '?') {
      group = { total: group.total + 1, last: 1 };
      if (character === '\\') at++;
    }
  }
  return open.reduce((sum, { total }) => sum + total, group.total);
}

/** The maximum number of repetitions given by a `{`. */
function repetitions(source: string, at: number): number {
  const found = /^\{(\d{1,6})(?:,(\d{0,6}))?\}/.exec(source.slice(at, at + 16));
  return found ? Math.max(Number(found[1]), Number(found[2] ?? 0)) : 0;
}
