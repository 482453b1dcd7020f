import { createHash } from 'node:crypto';
import { version } from '../../platform/version.ts';
import { openApiDocument } from '../openapi/document.ts';
import { renderGuides } from './guides/page.ts';
import { escapeHtml } from './html.ts';
import { renderPage } from './page.ts';
import { style } from './reference.css.ts';
import { script } from './reference.js.ts';

export interface Docs {
  /** The OpenAPI document as JSON. */
  json: string;
  /** The page, for a reader who reaches the service at this address. */
  page(origin: string): string;
  /** A guide, which looks the same at every address. */
  guide(name: string): string | undefined;
  /** What a page may load: nothing but its own style and script, which are known by their hashes. */
  policy: string;
}

/** Stands for the address in the page that is kept; no text of ours has this character. */
const originMark = '\u{E000}';

export function renderDocs(basePath: string): Docs {
  const document = openApiDocument(basePath, version);
  const parts = renderPage(document, { origin: originMark, style, script }).split(originMark);
  const guides = renderGuides({ product: document.info.title, version, style, script });
  return {
    json: JSON.stringify(document),
    guide: (name) => guides.get(name),
    page: (origin) => parts.join(escapeHtml(origin)),
    policy: [
      "default-src 'none'",
      `style-src ${hashOf(style.text)}`,
      `script-src ${hashOf(script.text)}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  };
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
