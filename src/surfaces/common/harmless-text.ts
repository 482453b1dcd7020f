/** Untrusted text as one line without terminal control characters. */
export function oneLine(text: string, most: number): string {
  const line = harmless(text.slice(0, most + 1), ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}

/** Untrusted text of any length in lines, without terminal control characters. */
export function manyLines(text: string): string {
  return text
    .split(/\r\n|\n/)
    .map((line) => harmless(line.replaceAll('\t', '  '), '\uFFFD'))
    .join('\n');
}

function harmless(text: string, instead: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, instead);
}
