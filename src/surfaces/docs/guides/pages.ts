import { readFileSync } from 'node:fs';
import { guideList } from './list.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';

/**
 * Every guide, rendered. A build makes constants of this module (scripts/bundle.mjs): the program neither reads
 * docs/ nor loads the library that knows Markdown.
 */
export const pages: Record<string, Rendered> = Object.fromEntries(
  guideList.map(({ name }) => [
    name,
    renderMarkdown(readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8'), name),
  ]),
);
