import { cspHeader, widgetCsp } from '../../../widgets/csp.ts';
import { guardWidget } from './guard.ts';
import { relayWidget } from './relay.ts';

/** No origin, no windows, no dialogs, no leaving. */
const sandbox = 'allow-scripts allow-forms';

/** As a text of a script, which no tag in it ends. */
const guard = JSON.stringify(`(${guardWidget.toString()})()`).replaceAll('<', String.raw`\u003c`);

/**
 * The page between a visit and a widget. It is the same for all; its policy is that of the one widget it will show, which
 * the frame inside inherits.
 */
export const framePage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Widget</title>
<style>html,body{margin:0;height:100%}iframe{border:0;display:block;width:100%;height:100%}</style></head>
<body><script>(${relayWidget.toString().replaceAll('</script', '<\\/script')})('${sandbox}', ${guard});</script></body></html>`;

/** For the domains that a server declares, as JSON; what cannot be read allows none. */
export function framePolicy(csp: unknown): string {
  // Without an origin of its own, `'self'` would be this service.
  const policy = cspHeader(widgetCsp(parsed(csp)), '');
  return `sandbox ${sandbox}; ${policy}; frame-ancestors 'self'`;
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
