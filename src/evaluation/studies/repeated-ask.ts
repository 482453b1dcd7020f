/** Messages of fewer words, like "yes please", are said often and mean little. */
const fewestWords = 3;
/** The share of words that two messages have in common, of all that either has. */
const nearlySame = 0.7;
/** How far back a message is compared, and how many of its words. */
const lookBack = 20;
const mostWords = 100;

/** Letters of scripts that put no spaces between words count as words. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{Letter}\p{Mark}\p{Number}]+/gu;
const digit = /\p{Number}/u;

/** Whether somebody says nearly the same again: not to have got what one asked for looks like this. */
export function repeatsItself(messages: readonly string[]): boolean {
  const said = messages.map(wordsOf).filter(({ size }) => size >= fewestWords);
  return said.some((words, at) =>
    said.slice(Math.max(0, at - lookBack), at).some((earlier) => isNearly(words, earlier)),
  );
}

function wordsOf(message: string): Set<string> {
  return new Set((message.toLowerCase().match(word) ?? []).slice(0, mostWords));
}

function isNearly(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  let common = 0;
  for (const one of a) if (b.has(one)) common++;
  return common >= nearlySame * (a.size + b.size - common) && !differInNumber(a, b) && !differInNumber(b, a);
}

/** Another number is another question. */
function differInNumber(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const one of a) if (digit.test(one) && !b.has(one)) return true;
  return false;
}
