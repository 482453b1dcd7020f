import { isStorable } from '../../platform/database/database.ts';
import { OperatorProblem } from '../../platform/problem.ts';

type Scalar = string | number | boolean | null;
type Fields = Record<string, Scalar | Scalar[]>;

/**
 * The fields between the two `---` lines, and the text below. Of YAML it reads one `key: value` per line, with texts,
 * numbers, booleans and lists of them. Anything else is refused rather than misread.
 */
export function readFrontmatter(text: string): { fields: Fields; body: string } {
  const lines = text.replace(/^\u{feff}/u, '').split('\n');
  const bare = lines.map((line) => line.trimEnd());
  if (bare[0] !== '---') throw new OperatorProblem('SKILL.md must begin with frontmatter: a line ---');
  const end = bare.indexOf('---', 1);
  if (end === -1) throw new OperatorProblem('SKILL.md: no line --- ends the frontmatter');
  const fields = new Map<string, Scalar | Scalar[]>();
  let list: Scalar[] | undefined;
  for (let at = 1; at < end; at++) {
    const line = bare[at] as string;
    if (/^\s*(#|$)/.test(line)) continue;
    const item = /^\s*-\s+(.+)$/.exec(line)?.[1];
    if (item !== undefined && list) {
      list.push(scalar(item, at));
      continue;
    }
    const [, key, value] = /^([A-Za-z_][\w.-]*)\s*:(?:\s+(.*))?$/.exec(line) ?? [];
    if (key === undefined)
      throw unreadable(
        at,
        'Write one `key: value` per line; nested values and texts over several lines are not read',
      );
    if (fields.has(key)) throw unreadable(at, `${key} is there twice`);
    const empty = value === undefined || value.startsWith('#');
    list = empty && /^\s*-\s+/.test(bare[at + 1] ?? '') ? [] : undefined;
    fields.set(key, list ?? (empty ? null : valueOf(value, at)));
  }
  const body = lines
    .slice(end + 1)
    .join('\n')
    .replace(/^(\r?\n)+/, '');
  return { fields: Object.fromEntries(fields), body };
}

function valueOf(text: string, at: number): Scalar | Scalar[] {
  if (!text.startsWith('[')) return scalar(text, at);
  const inside = /^\[(.*)\]$/.exec(withoutComment(text))?.[1]?.trim();
  if (inside === undefined) throw unreadable(at, 'A list in brackets ends on the same line');
  if (inside === '') return [];
  // Commas inside quotes do not separate.
  const items = inside.match(/\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,'"]+)\s*(,|$)/gy);
  if (!items || items.join('') !== inside || inside.endsWith(','))
    throw unreadable(at, 'This list is not readable; put texts with commas or quotes in quotes');
  return items.map((item) => scalar(item.replace(/,$/, '').trim(), at));
}

function scalar(text: string, at: number): Scalar {
  if (text.startsWith('"') || text.startsWith("'")) return quotedText(text, at);
  const plain = withoutComment(text);
  if (plain === 'true' || plain === 'false') return plain === 'true';
  if (plain === 'null' || plain === '~') return null;
  if (/^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(plain)) return Number(plain);
  if (/^([[\]{}&*!|>%@`,"']|[-?:](\s|$))/.test(plain) || /:(\s|$)/.test(plain))
    throw unreadable(at, 'Put a text with special characters in quotes, on one line');
  return plain;
}

function quotedText(text: string, at: number): string {
  const double = /^("(?:[^"\\]|\\.)*")\s*(?:\s#.*)?$/.exec(text)?.[1];
  const single = /^'((?:[^']|'')*)'\s*(?:\s#.*)?$/.exec(text)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  try {
    const read = JSON.parse(double ?? '') as string;
    if (isStorable(read)) return read;
  } catch {
    // Said below.
  }
  throw unreadable(at, 'The quotes do not fit; in double quotes, escapes are those of JSON, and NUL is none');
}

function withoutComment(text: string): string {
  return text.replace(/\s+#.*$/, '').trim();
}

function unreadable(at: number, why: string): OperatorProblem {
  return new OperatorProblem(`SKILL.md, line ${at + 1}: ${why}`);
}
