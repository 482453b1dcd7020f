import { from, noneOf, notApplicable, type Outcome } from '../../check.ts';
import type { Evidence, UiFacts } from '../../evidence.ts';

/** For rules about interfaces: they do not apply to a server whose tools name none. */
export function whenShown({ ui }: Evidence, judge: (all: UiFacts[]) => Outcome): Outcome {
  return from(ui, (all) => (all.length === 0 ? notApplicable('No tool names an interface') : judge(all)));
}

function none(evidence: Evidence, has: (ui: UiFacts) => boolean, problem: string): Outcome {
  return whenShown(evidence, (all) =>
    noneOf(
      all.filter((ui) => ui.problem === undefined && has(ui)).map(({ uri }) => uri),
      problem,
    ),
  );
}

export function interfacesAreThere(evidence: Evidence): Outcome {
  return whenShown(evidence, (all) =>
    noneOf(
      all.flatMap(({ uri, problem }) => (problem === undefined ? [] : [`${uri}: ${problem}`])),
      'The interface cannot be read',
    ),
  );
}

const mcpApp = 'text/html;profile=mcp-app';

export function interfacesAreMcpApps(evidence: Evidence): Outcome {
  const other = ({ mimeType }: UiFacts): boolean => mimeType.replaceAll(/\s/g, '').toLowerCase() !== mcpApp;
  return none(evidence, other, `Its type is not ${mcpApp}`);
}

/** Every origin that a page names is one it may reach. */
export function originsAreDeclared(evidence: Evidence): Outcome {
  return none(evidence, (ui) => undeclared(ui).length > 0, 'The page names origins that its csp does not');
}

function undeclared({ csp, origins }: UiFacts): string[] {
  const allowed = csp ? [...csp.connect, ...csp.resource, ...csp.frame] : [];
  return origins.filter((origin) => !allowed.some((one) => covers(one, origin)));
}

function covers(declared: string, origin: string): boolean {
  const [scheme, host = ''] = declared.replace(/\/+$/, '').split('://');
  const [wanted, name = ''] = origin.split('://');
  if (scheme !== wanted) return false;
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) : host === name;
}

export function declaresCsp(evidence: Evidence): Outcome {
  return none(evidence, ({ csp }) => csp === undefined, 'It declares no csp');
}

const anything = /^\*$|^https?:\/\/\*$|^https?:$/;

export function cspIsExact(evidence: Evidence): Outcome {
  const loose = ({ csp }: UiFacts): boolean =>
    [...(csp?.connect ?? []), ...(csp?.resource ?? []), ...(csp?.frame ?? [])].some((one) =>
      anything.test(one),
    );
  return none(evidence, loose, 'Its csp allows any origin');
}

export function hasDomain(evidence: Evidence): Outcome {
  return none(evidence, ({ domain }) => domain === undefined, 'It has no _meta.ui.domain');
}
