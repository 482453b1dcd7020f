const maxWordLength = 60;
const maxWords = 400;

/**
 * The words of a text in lowercase, without punctuation. PostgreSQL would parse server names as host names, which match
 * only as a whole.
 */
export function wordsOf(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.slice(0, maxWords).map((word) => word.slice(0, maxWordLength).toWellFormed());
}

/** A name without the common reversed domain of its host, which is not worth searching for. */
export function ownName(name: string): string {
  return name.replace(/^(?:io\.github|[a-z]+)\.(?=[^/]*\/)/i, '');
}

/** A PostgreSQL query for all words of a text, by prefix. Undefined if it has no words. */
export function searchFor(text: string): string | undefined {
  const words = [...new Set(wordsOf(ownName(text.trim())))].slice(0, 20);
  return words.length === 0 ? undefined : words.map((word) => `'${word}':*`).join(' & ');
}
