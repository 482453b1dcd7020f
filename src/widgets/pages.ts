import type { OpenedPage } from '../browser/session.ts';
import { bounds } from './bounds.ts';
import type { WidgetSource } from './declared.ts';

/** Without permission for dialogs, popups or top-level navigation. */
const sandbox = 'allow-scripts allow-same-origin allow-forms';

/** A separate process per origin, so that a busy widget does not block the host page. */
export const ownProcess = { 'origin-agent-cluster': '?1' };

const hostPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-src http://*.dd.localhost";

const hostHtml = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Widget</title>
<style>html,body{margin:0;height:100%}iframe{border:0;display:block;width:100%;height:100vh}</style></head>
<body></body></html>`;

/** The page around a widget. All widgets share it, so it can be opened in advance. */
export const hostPage: OpenedPage = {
  name: 'host',
  answer: ({ url }) =>
    url.pathname === '/'
      ? { headers: { ...ownProcess, 'content-security-policy': hostPolicy }, body: hostHtml }
      : { status: 404, body: '' },
};

/** The parameters of the host page for a widget. */
export function frameOf(origin: string, { permissions }: Pick<WidgetSource, 'permissions'>) {
  const { perSecond, waiting, message } = bounds;
  return { origin, sandbox, allow: permissions.join('; '), limits: { perSecond, waiting, message } };
}
