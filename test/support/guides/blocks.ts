import { readFileSync } from 'node:fs';
import { marked, type Token } from 'marked';

/** A fenced block of a page. */
export interface Block {
  page: string;
  line: number;
  language: string;
  /** The second word of the fence: a file to write, or `background`. */
  word: string;
  text: string;
  /** Why it is not run: `<!-- not run: reason -->` right before it. */
  notRun: string | undefined;
}

export function blocksOf(page: string): Block[] {
  const source = readFileSync(page, 'utf8');
  const found: Block[] = [];
  let reason: string | undefined;
  let at = 0;
  const visit = (tokens: Token[]): void => {
    for (const token of tokens) {
      if (token.type === 'html') reason = /<!-- not run: ([^]*?) -->/.exec(token.raw)?.[1] ?? reason;
      if (token.type === 'code') {
        at = source.indexOf(token.raw.trim().split('\n')[0] as string, at);
        const [language = '', word = ''] = ((token['lang'] as string | undefined) ?? '').split(' ');
        const line = source.slice(0, at).split('\n').length;
        found.push({ page, line, language, word, text: token['text'] as string, notRun: reason });
        at += token.raw.length;
      }
      if (token.type !== 'html' && token.type !== 'space') reason = undefined;
      visit((token as { tokens?: Token[] }).tokens ?? []);
      visit((token as { items?: Token[] }).items ?? []);
    }
  };
  visit(marked.lexer(source));
  return found;
}
