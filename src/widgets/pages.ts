import type { OpenedPage } from '../browser/session.ts';
import { bounds } from './bounds.ts';
import type { WidgetSource } from './declared.ts';

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
