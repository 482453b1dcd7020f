const lastDate = 8.64e15;

/** Formats epoch milliseconds to the minute. */
export function time(ms: number | null): string {
  if (ms === null) return 'never';
  return Math.abs(ms) > lastDate ? String(ms) : new Date(ms).toISOString().replace('T', ' ').slice(0, 16);
}

/** Terminal columns of a text: ideographs and most emoji take two, combining marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{M}/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

export function cutTo(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  let [kept, width] = ['', 0];
  for (const character of text) {
    width += widthOf(character);
    if (width > most - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Wraps at word boundaries; longer words are broken. */
export function wrapped(text: string, width: number, indent: string): string {
  if (!Number.isFinite(width) || width < 10) return text.replaceAll('\n', `\n${indent}`);
  return text
    .split('\n')
    .flatMap((line) => linesOf(line, width))
    .join(`\n${indent}`);
}

function linesOf(line: string, width: number): string[] {
  const lines: string[] = [];
  let [at, from, used, space] = [0, 0, 0, 0];
  for (const character of line) {
    const columns = widthOf(character);
    if (used > 0 && used + columns > width) {
      const cut = space - from > width / 2 ? space : at;
      lines.push(line.slice(from, cut));
      for (from = cut; line[from] === ' '; ) from++;
      used = widthOf(line.slice(from, at));
    }
    if (character === ' ') space = at;
    // Skips spaces at the start of a wrapped line.
    if (at >= from) used += columns;
    at += character.length;
  }
  return [...lines, line.slice(from)];
}
