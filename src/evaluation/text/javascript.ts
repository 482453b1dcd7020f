import {
  type CodePoints,
  complement,
  digits,
  lastCodePoint,
  lastUnit,
  lineEnds,
  union,
  whitespace,
  withOtherCases,
  wordCharacters,
} from './code-points.ts';

/** A JavaScript regular expression in the syntax of RE2. */
export interface Translated {
  re2: string;
  /** The expression with `a` for each character and class: its groups and repetitions only. */
  shape: string;
  /** Whether texts are matched as code points, as with the flag `u`, or as UTF-16 code units; see `asUnits`. */
  unicode: boolean;
}

type Flag = 'i' | 'm' | 's';
type Flags = ReadonlySet<Flag>;

/** The characters that an item of a pattern matches. `properties` are escapes that RE2 supports under the same name. */
interface Characters {
  set: CodePoints;
  properties: string[];
}

/** Stands in for flags in `withoutFlags`: like them, it must not be repeated. */
const notRepeatable = '^';

class Untranslatable extends Error {}

const quantifier = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
const groupFlags = /^\(\?(?=[-ims])([ims]{0,3})(?:-([ims]{1,3}))?([:)])/;
const groupName = /\(\?<[^>]*>/y;

/**
 * Translates an expression to RE2 with its JavaScript meaning, or explains why it cannot. Constructs that RE2
 * interprets differently are written out (classes, line ends, letters in both cases). Escapes that mean a plain letter
 * in JavaScript but something else in RE2 are refused, because authors mean the latter. Also accepts `(?i)`, `(?m)` and
 * `(?s)`: patterns have no flags, and newer JavaScript has these for groups.
 */
export function translateJavaScript(
  source: string,
  { unicode }: { unicode: boolean },
): Translated | { problem: string } {
  const translation = new Translation(source, unicode);
  let problem: string | undefined;
  try {
    translation.run();
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    problem = error.message;
  }
  const read = problem === undefined ? inJavaScript(translation.withoutFlags, unicode) : problem;
  if (typeof read === 'string') return { problem: read };
  return { re2: translation.re2, shape: translation.shape, unicode };
}

/** Moves surrogates to the last plane, because RE2 has no lone surrogates and no code unit maps there. */
export function asUnits(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, (unit) => String.fromCodePoint(moved(unit.charCodeAt(0))));
}

/** A class that matches no character. */
const nothing = '[^\\x{0}-\\x{10ffff}]';
const firstSurrogate = 0xd800;
const lastSurrogate = 0xdfff;

function moved(unit: number): number {
  return unit >= firstSurrogate && unit <= lastSurrogate ? 0x100000 + unit : unit;
}

/** Compiles the expression in JavaScript, or returns the error. */
function inJavaScript(source: string, unicode: boolean): RegExp | string {
  try {
    return new RegExp(source, unicode ? 'u' : '');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error.message.slice(error.message.lastIndexOf(': ') + 2);
  }
}

class Translation {
  re2 = '';
  shape = '';
  /** The expression without inline flags, which not every version of JavaScript supports. */
  withoutFlags = '';
  private at = 0;
  private flags: Flags = new Set();
  /** The flags before each open group, restored when it closes. */
  private readonly outside: Flags[] = [];

  constructor(
    private readonly source: string,
    private readonly unicode: boolean,
  ) {}

  run(): void {
    while (this.at < this.source.length) this.part();
  }

  private part(): void {
    const rest = this.source.slice(this.at, this.at + 16);
    const repeated = this.read(quantifier);
    if (repeated !== undefined) {
      // RE2 reads {02} as literal text, so leading zeros are removed.
      const counted = repeated.replace(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, ''));
      return this.emit(repeated, counted, counted, repeated);
    }
    const character = this.source[this.at] as string;
    switch (character) {
      case '(':
        return this.open(rest);
      case ')':
        this.flags = this.outside.pop() ?? this.flags;
        return this.emit(')', ')', ')');
      case '|':
        return this.emit('|', '|', '|');
      case '^':
        return this.emit('^', this.flags.has('m') ? '(?m:^)' : '\\A', 'a');
      case '$':
        return this.emit('$', this.flags.has('m') ? '(?m:$)' : '\\z', 'a');
      case '.':
        return this.characters(1, {
          set: complement(this.flags.has('s') ? [] : lineEnds, this.last),
          properties: [],
        });
      case '[':
        return this.class();
    }
    if (character === '\\' && /^\\[bB]/.test(rest)) return this.emit(rest.slice(0, 2), rest.slice(0, 2), 'a');
    const { length, ...characters } = this.item(this.at, false);
    this.characters(length, characters);
  }

  private read(here: RegExp): string | undefined {
    here.lastIndex = this.at;
    return here.exec(this.source)?.[0];
  }

  private emit(taken: string, re2: string, shape: string, withoutFlags = taken): void {
    this.at += taken.length;
    this.re2 += re2;
    this.shape += shape;
    this.withoutFlags += withoutFlags;
  }

  private open(rest: string): void {
    if (/^\(\?<?[=!]/.test(rest)) throw new Untranslatable('RE2 has no lookahead and no lookbehind');
    if (rest.startsWith('(?P<')) throw new Untranslatable('a named group is written (?<name>…)');
    const [flagged, on = '', off = '', end] = groupFlags.exec(rest) ?? [];
    if (flagged !== undefined && this.unicode)
      throw new Untranslatable('flags in a pattern are read without u');
    if (end !== ')') this.outside.push(this.flags);
    if (flagged !== undefined) {
      this.flags = changed(this.flags, on, off);
      return end === ')'
        ? this.emit(flagged, '(?:)', '()', notRepeatable)
        : this.emit(flagged, '(?:', '(', '(?:');
    }
    const opened = rest.startsWith('(?:') ? '(?:' : rest.startsWith('(?') ? this.read(groupName) : '(';
    if (opened === undefined) throw new Untranslatable('Invalid group');
    return this.emit(opened, '(?:', '(');
  }

  private characters(length: number, { set, properties }: Characters, negated = false): void {
    const taken = this.source.slice(this.at, this.at + length);
    const closed = this.flags.has('i') ? withOtherCases(set) : set;
    // In RE2, `^` also negates the properties.
    const [outer, inner] =
      properties.length > 0 && negated
        ? ['^', closed]
        : ['', negated ? complement(closed, this.last) : closed];
    const inside = [...inner.flatMap((range) => this.written(range)), ...properties].join('');
    return this.emit(taken, inside === '' ? nothing : `[${outer}${inside}]`, 'a');
  }

  private get last(): number {
    return this.unicode ? lastCodePoint : lastUnit;
  }

  private written([from, to]: readonly [number, number]): string[] {
    if (this.unicode) return [range(from, to)];
    return [
      [from, Math.min(to, firstSurrogate - 1)],
      [Math.max(from, firstSurrogate), Math.min(to, lastSurrogate)],
      [Math.max(from, lastSurrogate + 1), to],
    ]
      .filter(([start, end]) => (start as number) <= (end as number))
      .map(([start, end]) => range(moved(start as number), moved(end as number)));
  }

  private class(): void {
    const { source } = this;
    const start = this.at;
    let at = start + 1;
    const negated = source[at] === '^';
    if (negated) at++;
    const found: Characters = { set: [], properties: [] };
    while (source[at] !== ']') {
      if (at >= source.length) throw new Untranslatable('Unterminated character class');
      const posix = /^\[:\^?[a-z]+:\]/.exec(source.slice(at, at + 16))?.[0];
      if (posix !== undefined)
        throw new Untranslatable(
          `JavaScript has no ${posix}: write the characters out, like a-zA-Z for letters`,
        );
      const from = this.item(at, true);
      at += from.length;
      let { set } = from;
      if (source[at] === '-' && source[at + 1] !== ']' && at + 1 < source.length) {
        const to = this.item(at + 1, true);
        const [first, last] = [only(from), only(to)];
        at += 1 + to.length;
        found.properties.push(...to.properties);
        if (first === undefined || last === undefined) set = union(set, to.set, [[0x2d, 0x2d]]);
        else if (first > last) throw new Untranslatable('Range out of order in character class');
        else set = [[first, last]];
      }
      found.properties.push(...from.properties);
      found.set = union(found.set, set);
    }
    this.characters(at + 1 - start, found, negated);
  }

  /** One character or escape, and its length in the source. */
  private item(at: number, inClass: boolean): Characters & { length: number } {
    const { source, unicode } = this;
    if (source[at] !== '\\') {
      const code = (unicode ? source.codePointAt(at) : source.charCodeAt(at)) as number;
      return one(code, code > lastUnit ? 2 : 1);
    }
    const rest = source.slice(at + 1, at + 80);
    const letter = rest[0];
    if (letter === undefined) throw new Untranslatable('\\ at end of pattern');
    const set = this.classOf(letter);
    if (set) return { set, properties: [], length: 2 };
    const control = controls[letter];
    if (control !== undefined) return one(control, 2);
    if (letter === 'b' && inClass) return one(8, 2);
    const hex = /^(?:x([\da-f]{2})|u([\da-f]{4}))/i.exec(rest);
    if (hex) {
      const code = Number.parseInt((hex[1] ?? hex[2]) as string, 16);
      const pair = unicode && /^u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})/i.exec(rest);
      if (!pair) return one(code, 1 + hex[0].length);
      const units = pair.slice(1).map((digits) => Number.parseInt(digits, 16));
      return one(String.fromCharCode(...units).codePointAt(0) as number, 1 + pair[0].length);
    }
    const point = /^u\{0*([\da-f]{1,6})\}/i.exec(rest);
    if (point && unicode) return one(Number.parseInt(point[1] as string, 16), 1 + point[0].length);
    const property = /^([pP])\{(?:(?:General_Category|gc|Script|sc)=)?(\w+)\}/.exec(rest);
    if (unicode && !property && /^p/i.test(rest))
      throw new Untranslatable('only properties like \\p{Lu} and \\p{Script=Greek} are known');
    if (property && unicode)
      return { set: [], properties: [`\\${property[1]}{${property[2]}}`], length: 1 + property[0].length };
    if (/^c[a-z]/i.test(rest)) return one(rest.charCodeAt(1) % 32, 3);
    if (/^0(?!\d)/.test(rest)) return one(0, 2);
    if (/^\d|^k/.test(rest))
      throw new Untranslatable('RE2 has no backreferences, and \\1 to \\9 are read as such');
    if (/^[a-z]/i.test(rest)) throw new Untranslatable(noMeaning(rest));
    const code = (unicode ? rest.codePointAt(0) : rest.charCodeAt(0)) as number;
    return one(code, code > lastUnit ? 3 : 2);
  }

  private classOf(letter: string): CodePoints | undefined {
    const set = classes[letter.toLowerCase()];
    if (!set || letter === letter.toLowerCase()) return set;
    return complement(set, this.last);
  }
}

const classes: Readonly<Record<string, CodePoints>> = { d: digits, w: wordCharacters, s: whitespace };
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

function changed(flags: Flags, on: string, off: string): Flags {
  const next = new Set([...flags, ...(on as Iterable<Flag>)]);
  for (const flag of off) next.delete(flag as Flag);
  return next;
}

function one(code: number, length: number): Characters & { length: number } {
  return { set: [[code, code]], properties: [], length };
}

function only({ set, properties }: Characters): number | undefined {
  const [first] = set;
  return properties.length === 0 && set.length === 1 && first && first[0] === first[1] ? first[0] : undefined;
}

function range(from: number, to: number): string {
  return from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`;
}

function escaped(point: number): string {
  return `\\x{${point.toString(16)}}`;
}

/** Advice for an escaped letter that has no meaning in JavaScript but one in other dialects. */
function noMeaning(rest: string): string {
  const letter = rest[0] as string;
  const instead: Readonly<Record<string, string>> = {
    A: 'write ^ for the start of the text',
    z: 'write $ for the end of the text',
    Z: 'write $ for the end of the text',
    Q: 'put a backslash before each special character instead',
    E: 'put a backslash before each special character instead',
    p: 'write the characters out, like [A-Za-zÀ-ÿ]',
    P: 'write the characters out, like [^A-Za-zÀ-ÿ]',
    h: 'write [ \\t]',
    R: 'write (?:\\r\\n|\\n)',
    a: 'write \\x07',
    e: 'write \\x1b',
    x: 'write two hexadecimal digits, like \\xe9',
    u: 'write four hexadecimal digits, like \\u00e9',
    c: 'write a letter after it, like \\cJ',
  };
  return `\\${letter} stands for the letter "${letter}" in JavaScript here: ${instead[letter] ?? 'leave the backslash out'}`;
}
