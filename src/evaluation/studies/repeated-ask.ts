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

/** Another number is another question. */
function isNearly(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const differing = [...a].filter((one) => !b.has(one)).concat([...b].filter((one) => !a.has(one)));
  if (differing.some((one) => digit.test(one))) return false;
  const all = new Set([...a, ...b]).size;
  return (all - differing.length) / all >= nearlySame;
}
