import { cspHeader, widgetCsp } from '../../../widgets/csp.ts';
import { guardWidget } from './guard.ts';
import { relayWidget } from './relay.ts';

/** Without permission for an origin, popups, dialogs or top-level navigation. */
const sandbox = 'allow-scripts allow-forms';

/** The source of the guard as a string of a script, which no tag in it can close. */
const guard = JSON.stringify(`(${guardWidget.toString()})()`).replaceAll('<', String.raw`\u003c`);

/**
 * The page between a visit and a widget, which is the same for all widgets. Its policy is that of the widget, and the
 * frame inside inherits it.
 */
export const framePage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Widget</title>
<style>html,body{margin:0;height:100%}iframe{border:0;display:block;width:100%;height:100%}</style></head>
<body><script>(${relayWidget.toString().replaceAll('</script', '<\\/script')})('${sandbox}', ${guard});</script></body></html>`;

/** The policy for the domains that a server declares. `csp` is JSON; if it is invalid, no domain is allowed. */
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
