import type { OpenedPage } from '../browser/session.ts';
import { bounds } from './bounds.ts';
import type { WidgetSource } from './declared.ts';
import { installOpenAi } from './in-page.ts';

/** No dialogs, no windows, no leaving: a widget stays in its frame. */
const sandbox = 'allow-scripts allow-same-origin allow-forms';

/** Each in a process of its own, so that a widget that never rests does not stop the page around it. */
export const ownProcess = { 'origin-agent-cluster': '?1' };

const hostPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-src http://*.dd.localhost";

const hostHtml = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Widget</title>
<style>html,body{margin:0;height:100%}iframe{border:0;display:block;width:100%;height:100vh}</style></head>
<body></body></html>`;

/** The page around a widget, the same for all: it can be open before there is one. */
export const hostPage: OpenedPage = {
  name: 'host',
  answer: ({ url }) =>
    url.pathname === '/'
      ? { headers: { ...ownProcess, 'content-security-policy': hostPolicy }, body: hostHtml }
      : { status: 404, body: '' },
};

/** What that page is told of a widget. */
export function frameOf(origin: string, { permissions }: Pick<WidgetSource, 'permissions'>) {
  const { perSecond, waiting, message } = bounds;
  return { origin, sandbox, allow: permissions.join('; '), limits: { perSecond, waiting, message } };
}

/** What `window.openai` shows of the call. */
export interface OpenAiGlobals {
  input: unknown;
  result: Record<string, unknown>;
  height: number;
}

/** The HTML of a widget with `window.openai`, there before any script of its own. */
export function withOpenAi(html: string, { input, result, height }: OpenAiGlobals): string {
  const globals = {
    toolInput: input,
    toolOutput: result['structuredContent'] ?? null,
    toolResponseMetadata: result['_meta'] ?? null,
    theme: 'light',
    locale: 'en-US',
    displayMode: 'inline',
    maxHeight: height,
  };
  const script = `<script>(${installOpenAi.toString()})(${forScript(globals)});</script>`;
  // Bounded, because a page may begin such a tag ten thousand times and end none.
  const at = /<head(?:\s[^>]{0,500})?>|<!doctype[^>]{0,500}>/gi;
  let place = 0;
  // After the head where there is one, else after the document type: a script before it changes how pages are drawn.
  for (const match of html.slice(0, 65_536).matchAll(at)) {
    place = match.index + match[0].length;
    if (/^<head/i.test(match[0])) break;
  }
  return `${html.slice(0, place)}${script}${html.slice(place)}`;
}

/** JSON that ends no script. */
function forScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
