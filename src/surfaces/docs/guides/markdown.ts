import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../html.ts';
import { guideList } from './list.ts';

export interface Rendered {
  /** Text of the first heading. */
  title: string;
  /** HTML after the first heading. */
  body: string;
  /** Headings of the second level. */
  headings: { id: string; text: string }[];
}

/** Base URL in examples. Links to it point to the service that serves the page. */
const ownAddress = 'http://127.0.0.1:4700/';

/**
 * A guide as HTML. Raw HTML is rejected, comments are dropped, and links point to other guides, to this service or to
 * other sites.
 */
export function renderMarkdown(source: string, name: string): Rendered {
  const headings: Rendered['headings'] = [];
  const taken = new Map<string, number>();
  let title = '';
  const refuse = (what: string): never => {
    throw new Error(`docs/${name}.md: ${what}`);
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) {
          title = text;
          return '';
        }
        const id = anchorOf(text, taken);
        if (depth === 2) headings.push({ id, text });
        return `<h${depth} id="${id}"><a href="#${id}">${inner}</a></h${depth}>\n`;
      },
      code: (block) => figure(block),
      html: ({ text }) => (/^\s*<!--[^]*-->\s*$/.test(text) ? '' : refuse(`no HTML, please: ${text}`)),
      image: ({ href }) => refuse(`no pictures, please: ${href}`),
      link({ href, tokens }) {
        const to = addressOf(href) ?? refuse(`${href} leads to no guide`);
        return `<a href="${escapeHtml(to)}">${this.parser.parseInline(tokens)}</a>`;
      },
      table(token) {
        const cell = (tag: string, { tokens }: Tokens.TableCell): string =>
          `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
        const row = (tag: string, cells: Tokens.TableCell[]): string =>
          `<tr>${cells.map((one) => cell(tag, one)).join('')}</tr>`;
        const named = token.header.some(({ text }) => text !== '');
        const head = named ? `<thead>${row('th', token.header)}</thead>` : '';
        return `<table>${head}<tbody>${token.rows.map((cells) => row('td', cells)).join('\n')}</tbody></table>\n`;
      },
    },
  });
  const body = marked.parse(source, { async: false });
  return { title: title === '' ? refuse('it has no title') : title, body, headings };
}

/** Commands and files can be copied, output cannot. The second word of the fence names a file. */
function figure({ text, lang = '' }: Tokens.Code): string {
  const [language = '', file = ''] = lang.split(' ');
  const caption = file.includes('.') ? `<figcaption>${escapeHtml(file)}</figcaption>` : '';
  const kind = language === 'text' ? 'output' : 'copy';
  return `<figure>${caption}<pre class="${kind}" tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>\n`;
}

/** Generated like on code hosts, so that links work in both places. */
export function anchorOf(heading: string, taken: Map<string, number>): string {
  const plain = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const count = taken.get(plain) ?? 0;
  taken.set(plain, count + 1);
  return count === 0 ? plain : `${plain}-${count}`;
}

function addressOf(href: string): string | undefined {
  if (href.startsWith(ownAddress)) return `../../${href.slice(ownAddress.length)}`;
  if (/^(?:https:|#)/.test(href)) return href;
  const [, name, anchor = ''] = /^([a-z-]+)\.md(#.*)?$/.exec(href) ?? [];
  return guideList.some((guide) => guide.name === name) ? `${name}${anchor}` : undefined;
}
