/** Splits a line like a shell, supporting only quotes and backslashes: no variables, wildcards or pipes. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string;
    if (letter === '\\' && quote !== "'" && at + 1 < line.length)
      word = (word ?? '') + (line[++at] as string);
    else if (letter === quote) quote = undefined;
    else if (quote === undefined && (letter === '"' || letter === "'")) {
      quote = letter;
      word ??= '';
    } else if (quote === undefined && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (word !== undefined) words.push(word);
  return words;
}
