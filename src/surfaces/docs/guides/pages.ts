import { readFileSync } from 'node:fs';
import { guideList } from './list.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';

/**
 * All guides, rendered. A build replaces this module by constants (scripts/bundle.mjs), so that the program does not
 * read docs/ or load the Markdown library.
 */
export const pages: Record<string, Rendered> = Object.fromEntries(
  guideList.map(({ name }) => [
    name,
    renderMarkdown(readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8'), name),
  ]),
);
