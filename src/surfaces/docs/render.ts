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
  /** The page for a given base URL. */
  page(origin: string): string;
  /** A guide, which does not depend on the base URL. */
  guide(name: string): string | undefined;
  /** Content-Security-Policy that only allows the inline style and script of a page, by their hashes. */
  policy: string;
}

/** Placeholder for the base URL in the cached page. Does not occur in other text. */
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
