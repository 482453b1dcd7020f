/** Untrusted text as one line without terminal control characters. */
export function oneLine(text: string, most: number): string {
  const line = harmless(text.slice(0, most + 1), ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}

/** Text of any length whose lines stay, without anything that a terminal would obey. */
export function manyLines(text: string): string {
  return text
    .split(/\r\n|\n/)
    .map((line) => harmless(line.replaceAll('\t', '  '), '\uFFFD'))
    .join('\n');
}

function harmless(text: string, instead: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, instead);
}
