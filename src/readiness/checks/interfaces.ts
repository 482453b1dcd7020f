import { createHash } from 'node:crypto';
import {
  ifKnown,
  informational,
  listing,
  noneOf,
  noTool,
  notApplicable,
  type Outcome,
  type Rule,
} from '../check.ts';
import type { Evidence, UiFacts } from '../evidence.ts';
import { confirmed, declaredCount } from './declared.ts';

const criteria = 'Connectors: review criteria';
const plugins = 'Plugins: user interface';

const policy = {
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
} as const;
const optional = { ...policy, lane: 'optional-features', class: 'recommended' } as const;

const mcpApp = 'text/html;profile=mcp-app';

export const interfaceRules: readonly Rule[] = [
  {
    ...policy,
    title: 'Interfaces named by tools can be read',
    remediation: 'Answer resources/read for each `ui://` URI that a tool names.',
    claude: listing('apps.resource-readable', criteria, 'MCP Apps'),
    openai: listing('ui.resource-readable', plugins, 'Resources'),
    evaluate: (evidence) =>
      whenShown(evidence, (all) =>
        noneOf(
          all.flatMap(({ uri, problem }) => (problem === undefined ? [] : [`${uri}: ${problem}`])),
          'The interface cannot be read',
        ),
      ),
  },
  {
    ...policy,
    title: 'Interfaces have the MIME type of MCP Apps',
    remediation: `Serve them as \`${mcpApp}\`.`,
    claude: listing('apps.mime-type', criteria, 'MCP Apps'),
    openai: listing('ui.mime-type', plugins, 'Resources', {
      evaluate: (evidence) =>
        // OpenAI still accepts the MIME type of the Apps SDK, text/html+skybridge.
        noInterface(
          evidence,
          ({ mimeType }) => !/^text\/html(?:; *profile=mcp-app|\+skybridge)$/i.test(mimeType),
          `The MIME type is not ${mcpApp}`,
        ),
    }),
    evaluate: (evidence) =>
      noInterface(
        evidence,
        ({ mimeType }) => mimeType.replaceAll(/\s/g, '').toLowerCase() !== mcpApp,
        `The MIME type is not ${mcpApp}`,
      ),
  },
  {
    ...policy,
    title: 'Interfaces declare their domain',
    remediation: 'Set `_meta.ui.domain` to an https origin that you own.',
    openai: listing('ui.domain-declared', plugins, 'Domain'),
    evaluate: (evidence) =>
      noInterface(evidence, ({ domain }) => domain === undefined, 'The interface has no _meta.ui.domain'),
  },
  {
    ...policy,
    title: 'Interfaces declare the origins they reach',
    remediation: 'List the origins in `_meta.ui.csp` of the resource.',
    claude: listing('apps.csp-declared', criteria, 'MCP Apps'),
    openai: listing('ui.csp-declared', plugins, 'Content security policy', {
      remediation: 'Declare `_meta.ui.csp`, with empty lists where no origin is reached.',
      evaluate: (evidence) => {
        const present = noInterface(
          evidence,
          ({ csp }) => csp === undefined,
          'The interface has no _meta.ui.csp',
        );
        return present.status === 'satisfied' ? originsAreDeclared(evidence) : present;
      },
    }),
    evaluate: originsAreDeclared,
  },
  {
    ...policy,
    title: 'The declared origins are exact',
    remediation: 'Name each origin. A bare `*` is not accepted.',
    openai: listing('ui.csp-exact', plugins, 'Content security policy'),
    evaluate: (evidence) =>
      noInterface(
        evidence,
        ({ csp }) => allowedBy(csp).some((origin) => /^\*$|^https?:\/\/\*$|^https?:$/.test(origin)),
        'The csp allows any origin',
      ),
  },
  {
    ...policy,
    title: 'Framed third-party pages are explained',
    provenance: 'declared',
    remediation:
      'Remove `frameDomains`, or explain them in the submission and declare frameDomainsExplained.',
    openai: listing('ui.frame-domains-explained', plugins, 'Frames'),
    evaluate: (evidence) =>
      whenShown(evidence, (all) =>
        all.every(({ csp }) => (csp?.frame ?? []).length === 0)
          ? notApplicable('No interface frames third-party pages')
          : confirmed(evidence, 'frameDomainsExplained'),
      ),
  },
  {
    ...optional,
    title: 'Custom domains have the format Claude assigns',
    remediation: "Remove `_meta.ui.domain`, or set it to the domain that belongs to the server's URL.",
    claude: listing('apps.domain-format', criteria, 'MCP Apps'),
    evaluate: (evidence) =>
      whenShown(evidence, (all) => {
        const requested = all.flatMap(({ domain }) => domain ?? []);
        if (requested.length === 0) return notApplicable('No interface requests a domain');
        const expected = claudeDomain(evidence.endpoint.url);
        return noneOf(
          requested.filter((domain) => domain !== expected),
          `The domain is not ${expected}`,
        );
      }),
  },
  {
    ...optional,
    title: 'Tools declare a valid visibility',
    remediation:
      'Use `model` and `app` in `_meta.ui.visibility`. Tools that only an interface calls have `["app"]`.',
    claude: listing('apps.visibility-valid', criteria, 'MCP Apps'),
    evaluate: (evidence) =>
      noTool(
        evidence,
        ({ visibility = ['model'] }) =>
          visibility.length === 0 || visibility.some((one) => one !== 'model' && one !== 'app'),
        'The visibility is neither model nor app',
      ),
  },
  {
    title: 'Origins that interfaces link to are listed',
    lane: 'submission-artifacts',
    class: 'manual-review',
    provenance: 'declared',
    intrusiveness: 'passive',
    remediation: 'List the link targets in the submission, and declare linkOriginsDeclared.',
    claude: listing('apps.link-origins', 'Connectors: submission', 'MCP Apps'),
    evaluate: (evidence) => whenShown(evidence, () => confirmed(evidence, 'linkOriginsDeclared')),
  },
  {
    title: 'There are screenshots of the interface',
    lane: 'submission-artifacts',
    class: 'required',
    provenance: 'declared',
    intrusiveness: 'passive',
    remediation: 'Take 3 to 5 PNG screenshots at least 1,000 pixels wide, and declare screenshots.',
    claude: listing('submission.screenshots', 'Connectors: submission', 'MCP Apps'),
    evaluate: (evidence) => whenShown(evidence, () => declaredCount(evidence, 'screenshots', 3, 5)),
  },
  {
    ...optional,
    title: 'Interfaces of the server',
    class: 'experimental-feature',
    remediation: 'No action needed.',
    openai: listing('feature.interfaces', plugins, 'Overview'),
    evaluate: ({ ui }) =>
      ifKnown(ui, (all) => informational({ interfaces: all.map(({ uri }) => uri).slice(0, 20) })),
  },
  {
    ...optional,
    title: 'Interfaces are declared as MCP Apps',
    remediation:
      'Replace `openai/outputTemplate` with `_meta.ui.resourceUri`, and text/html+skybridge with text/html;profile=mcp-app.',
    openai: listing('migration.apps-sdk-metadata', plugins, 'Migration'),
    evaluate: (evidence) =>
      noTool(evidence, ({ legacyUi }) => legacyUi, 'The tool names its interface with Apps SDK metadata'),
  },
];

/** Rules about interfaces do not apply to a server whose tools name none. */
function whenShown({ ui }: Evidence, judge: (all: UiFacts[]) => Outcome): Outcome {
  return ifKnown(ui, (all) => (all.length === 0 ? notApplicable('No tool names an interface') : judge(all)));
}

function noInterface(evidence: Evidence, has: (ui: UiFacts) => boolean, problem: string): Outcome {
  return whenShown(evidence, (all) =>
    noneOf(
      all.filter((ui) => ui.problem === undefined && has(ui)).map(({ uri }) => uri),
      problem,
    ),
  );
}

function originsAreDeclared(evidence: Evidence): Outcome {
  return noInterface(
    evidence,
    ({ csp, origins }) =>
      origins.some((origin) => !allowedBy(csp).some((allowed) => covers(allowed, origin))),
    'The page uses origins that its csp does not list',
  );
}

function allowedBy(csp: UiFacts['csp']): string[] {
  return csp ? [...csp.connect, ...csp.resource, ...csp.frame] : [];
}

function covers(declared: string, origin: string): boolean {
  const [scheme, host = ''] = declared.replace(/\/+$/, '').split('://');
  const [wanted, name = ''] = origin.split('://');
  if (scheme !== wanted) return false;
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) : host === name;
}

/** Claude serves interfaces from a domain made of the first half of the SHA-256 hash of the server's URL. */
function claudeDomain(url: string): string {
  return `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.claudemcpcontent.com`;
}
