const longestWord = 60;
const mostWords = 400;

/**
 * The words of a text, in small letters and without what stands between them. Names of servers would be taken for
 * addresses otherwise, and found only as a whole.
 */
export function wordsOf(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.slice(0, mostWords).map((word) => word.slice(0, longestWord).toWellFormed());
}

/** Most names begin with the same words, turned-round domains of hosts and countries: nobody looks for those. */
export function ownName(name: string): string {
  return name.replace(/^(?:io\.github|[a-z]+)\.(?=[^/]*\/)/i, '');
}

/** What PostgreSQL looks for: all of the words, or words that begin so. Undefined when there is none. */
export function searchFor(text: string): string | undefined {
  const words = [...new Set(wordsOf(ownName(text.trim())))].slice(0, 20);
  return words.length === 0 ? undefined : words.map((word) => `'${word}':*`).join(' & ');
}
