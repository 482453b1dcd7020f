// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checksOf } from '../src/readiness/index.ts';
import { assess, type Directory, declared, startWithListable } from './support/readiness.ts';
import { dispose, type TestService } from './support/service.ts';
import type { Behaviour } from './targets/listable.ts';
import { goodTool, type Listable } from './targets/listable.ts';

let service: TestService;
let target: Listable;
beforeAll(async () => {
  ({ service, target } = await startWithListable());
});
afterAll(async () => {
  await dispose(service);
  await target.stop();
});

describe.each(['claude', 'openai'] as const)('a server that could be listed by %s', (kind) => {
  test('is ready when what only people know is declared', async () => {
    const { run, report, deciding } = await assess({ service, target }, kind, { declared });
    expect(deciding('violated')).toEqual([]);
    expect(deciding('not-evaluated')).toEqual([]);
    expect(run).toMatchObject({
      overallStatus: 'ready',
      authMode: 'provided-token',
      capabilities: ['mcp-session', 'oauth-discovery', 'declared-inputs'],
      terminalReason: 'completed',
      attemptCount: 1,
      hasReport: true,
    });
    expect(report.stages.map(({ status }) => status)).toEqual(['ready', 'ready']);
    expect(report.overallStatus).toBe(run.overallStatus);
  });

  test('passes the technical stage without it, and is told what is missing', async () => {
    const { run } = await assess({ service, target }, kind);
    expect(run.overallStatus).toBe('incomplete');
    expect(run.stages.map(({ status }) => status)).toEqual(['ready', 'incomplete']);
    const lane = run.lanes.find((one) => one.lane === 'submission-artifacts');
    expect(lane?.missingInputs).toEqual(
      expect.arrayContaining(['declared.privacyPolicyUrl', 'declared.name']),
    );
  });

  test('that asks for no authorization needs no test account, and nothing about OAuth', async () => {
    const { testAccount: _, ...rest } = declared;
    const behaviour = { authorizes: false };
    const { run, status } = await assess({ service, target }, kind, { behaviour, declared: rest });
    expect(run.overallStatus).toBe('ready');
    expect(status(`${kind}.auth.mode`)).toBe('satisfied');
    expect(status(`${kind}.auth.prm-discoverable`)).toBe('not-applicable');
  });
});

type Change = (server: Listable) => { url?: string; behaviour?: Partial<Behaviour>; declared?: object };
type Case = [name: string, change: Change, ids: string[]];

const tool =
  (change: object): Change =>
  () => ({ behaviour: { tools: [{ ...goodTool, ...change }] } });
const authorization =
  (change: object): Change =>
  ({ good }) => ({
    behaviour: { authorizationServer: { ...good.authorizationServer, ...change } },
  });
const shown =
  (change: object): Change =>
  ({ good }) => ({
    behaviour: { interface: { ...(good.interface as NonNullable<Behaviour['interface']>), ...change } },
  });
const saying =
  (change: object): Change =>
  () => ({ declared: { ...declared, ...change } });
const fails =
  (name: string): Change =>
  () => ({
    behaviour: { methods: { [name]: (_rpc, response) => void response.writeHead(500).end() } },
  });

/** Cases of both directories. Check IDs have no directory prefix. */
const both: Case[] = [
  [
    'is served over http',
    ({ plainUrl, good }) => ({
      url: plainUrl,
      behaviour: { resourceMetadata: { ...good.resourceMetadata, resource: plainUrl } },
    }),
    ['endpoint.https'],
  ],
  [
    'redirects to http',
    ({ origin, plainUrl }) => ({ url: `${origin}/moved`, behaviour: { paths: { '/moved': plainUrl } } }),
    ['endpoint.redirects-stay-https', 'endpoint.session-opens', 'auth.prm-resource-matches-entered-url'],
  ],
  [
    'redirects in a circle',
    ({ origin }) => ({ url: `${origin}/a`, behaviour: { paths: { '/a': '/b', '/b': '/a' } } }),
    ['endpoint.redirects-terminate', 'endpoint.session-opens'],
  ],
  [
    'redirects to an address that nobody has',
    ({ origin }) => ({ url: `${origin}/a`, behaviour: { paths: { '/a': 'https://240.0.0.1/mcp' } } }),
    ['endpoint.redirects-terminate', 'endpoint.session-opens'],
  ],
  [
    'has an address of this machine',
    ({ port, good }) => ({
      url: `https://127.0.0.1:${port}/mcp`,
      behaviour: {
        resourceMetadata: { ...good.resourceMetadata, resource: `https://127.0.0.1:${port}/mcp` },
      },
    }),
    ['endpoint.publicly-reachable'],
  ],
  ['fails at the handshake', fails('initialize'), ['endpoint.session-opens']],
  [
    'takes keys that people paste',
    () => ({
      behaviour: { challenge: 'Bearer', resourceMetadata: undefined, authorizationServer: undefined },
    }),
    [
      'auth.mode',
      'auth.challenge-names-resource-metadata',
      'auth.prm-discoverable',
      'auth.as-metadata-discoverable',
    ],
  ],
  [
    'has a key in its address',
    ({ url }) => ({ url: `${url}?api_key=sk-12345678` }),
    ['auth.no-credentials-in-url'],
  ],
  ['sends no challenge', () => ({ behaviour: { challenge: undefined } }), ['auth.unauthenticated-challenge']],
  [
    'names no metadata in its challenge',
    () => ({ behaviour: { challenge: 'Bearer' } }),
    ['auth.challenge-names-resource-metadata'],
  ],
  [
    'publishes no resource metadata',
    () => ({ behaviour: { resourceMetadata: undefined } }),
    ['auth.prm-discoverable'],
  ],
  [
    'publishes metadata about another resource',
    ({ origin, good }) => ({
      behaviour: { resourceMetadata: { ...good.resourceMetadata, resource: `${origin}/other` } },
    }),
    ['auth.prm-resource-matches-entered-url'],
  ],
  [
    'has an authorization server without metadata',
    () => ({ behaviour: { authorizationServer: undefined } }),
    ['auth.as-metadata-discoverable'],
  ],
  [
    'has an authorization server with another name',
    authorization({ issuer: 'https://issuer.example' }),
    ['auth.issuer-matches'],
  ],
  [
    'does not offer S256',
    authorization({ code_challenge_methods_supported: ['plain'] }),
    ['auth.pkce-s256-advertised'],
  ],
  [
    'knows only its own clients',
    authorization({ registration_endpoint: undefined, client_id_metadata_document_supported: false }),
    ['auth.client-acquisition'],
  ],
  [
    'lets only programs in',
    authorization({ grant_types_supported: ['client_credentials'] }),
    ['auth.authorization-code'],
  ],
  [
    'hands tokens out over http',
    ({ plainUrl, ...server }) => authorization({ token_endpoint: plainUrl })({ plainUrl, ...server }),
    ['auth.endpoints-https'],
  ],
  ['lists no tools', () => ({ behaviour: { tools: [] } }), ['tools.list-valid']],
  ['has a tool without a schema', tool({ inputSchema: undefined }), ['tools.list-valid']],
  [
    'has two tools of one name',
    () => ({ behaviour: { tools: [goodTool, goodTool] } }),
    ['tools.name-unique'],
  ],
  ['has a tool with a long name', tool({ name: 'x'.repeat(65) }), ['tools.name-length']],
  ['has a tool without a description', tool({ description: ' ' }), ['tools.description-present']],
];

const ofClaude: Case[] = [
  ['speaks HTTP+SSE only', () => ({ behaviour: { transport: 'sse' } }), ['endpoint.streamable-http']],
  ['answers pages of others', () => ({ behaviour: { checksOrigin: false } }), ['endpoint.origin-checked']],
  [
    'wants secrets of clients known by a document',
    authorization({ token_endpoint_auth_methods_supported: ['client_secret_basic'] }),
    ['auth.metadata-clients-public'],
  ],
  ['has a tool without a title', tool({ title: undefined }), ['tools.title-present']],
  ['has a tool without hints', tool({ annotations: undefined }), ['tools.behavior-hints-present']],
  [
    'has a tool that reads only and destroys',
    tool({ annotations: { readOnlyHint: true, destructiveHint: true } }),
    ['tools.behavior-hints-consistent'],
  ],
  [
    'has a tool that reads and writes',
    tool({ inputSchema: { type: 'object', properties: { http_method: { enum: ['GET', 'POST'] } } } }),
    ['tools.no-catch-all-read-write'],
  ],
  [
    'has an interface that is not there',
    () => ({ behaviour: { interface: undefined } }),
    ['apps.resource-readable'],
  ],
  ['has an interface of another type', shown({ mimeType: 'text/html' }), ['apps.mime-type']],
  ['has an interface that says nothing of origins', shown({ _meta: {} }), ['apps.csp-declared']],
  [
    'has a privacy policy over http',
    saying({ privacyPolicyUrl: 'http://listable.example' }),
    ['submission.privacy-policy'],
  ],
  [
    'has documentation over http',
    saying({ documentationUrl: 'http://listable.example' }),
    ['submission.documentation'],
  ],
  ['has nobody to ask', saying({ supportContact: '' }), ['submission.support-contact']],
  ['has no test account', saying({ testAccount: false }), ['submission.test-account']],
  ['has a long name', saying({ name: 'x'.repeat(101) }), ['submission.listing-name']],
  ['has a long tagline', saying({ tagline: 'x'.repeat(56) }), ['submission.listing-tagline']],
  ['has a long description', saying({ description: 'x'.repeat(2_001) }), ['submission.listing-description']],
  ['has two pictures', saying({ screenshots: 2 }), ['submission.screenshots']],
];

const hint = (name: string): Change => tool({ annotations: { ...goodTool.annotations, [name]: undefined } });

const ofOpenAi: Case[] = [
  ['has a tool without readOnlyHint', hint('readOnlyHint'), ['tools.read-only-hint-present']],
  ['has a tool without destructiveHint', hint('destructiveHint'), ['tools.destructive-hint-present']],
  ['has a tool without openWorldHint', hint('openWorldHint'), ['tools.open-world-hint-present']],
  [
    'has a tool that reads only and destroys',
    tool({ annotations: { readOnlyHint: true, destructiveHint: true, openWorldHint: false } }),
    ['tools.hints-consistent'],
  ],
  [
    'has a tool that asks for a card',
    tool({
      inputSchema: {
        type: 'object',
        properties: { pay: { properties: { cardNumber: { type: 'string' } } } },
      },
    }),
    ['tools.no-sensitive-inputs'],
  ],
  [
    'has an interface that is not there',
    () => ({ behaviour: { interface: undefined } }),
    ['ui.resource-readable'],
  ],
  ['has an interface of another type', shown({ mimeType: 'text/plain' }), ['ui.mime-type']],
  [
    'has an interface without a domain',
    shown({ _meta: { ui: { csp: { resourceDomains: ['https://cdn.listable.example'] } } } }),
    ['ui.domain-declared'],
  ],
  [
    'has an interface that says nothing of origins',
    shown({ _meta: { ui: { domain: 'listable' } } }),
    ['ui.csp-declared'],
  ],
  [
    'has an interface that reaches everything',
    shown({
      _meta: { ui: { domain: 'listable', csp: { resourceDomains: ['https://cdn.listable.example', '*'] } } },
    }),
    ['ui.csp-exact'],
  ],
  [
    'shows pages of others without a word',
    (server) => ({
      ...shown({
        _meta: {
          ui: {
            domain: 'listable',
            csp: {
              resourceDomains: ['https://cdn.listable.example'],
              frameDomains: ['https://maps.example'],
            },
          },
        },
      })(server),
      declared: { ...declared, frameDomainsExplained: false },
    }),
    ['ui.frame-domains-explained'],
  ],
  [
    'does not prove its domain',
    () => ({ behaviour: { domainToken: undefined } }),
    ['domain.challenge-served'],
  ],
  ['proves another domain', saying({ domainChallenge: 'another' }), ['domain.challenge-served']],
  ['is of nobody known', saying({ verifiedIdentity: false }), ['submission.verified-identity']],
  ['has a website over http', saying({ websiteUrl: 'http://listable.example' }), ['submission.website']],
  ['has nobody to ask', saying({ supportContact: '' }), ['submission.support']],
  [
    'has a privacy policy over http',
    saying({ privacyPolicyUrl: 'http://x.example' }),
    ['submission.privacy-policy'],
  ],
  ['has terms over http', saying({ termsUrl: 'http://x.example' }), ['submission.terms']],
  ['has a long name', saying({ name: 'x'.repeat(31) }), ['submission.name']],
  ['has a long subtitle', saying({ tagline: 'x'.repeat(31) }), ['submission.subtitle']],
  ['has four prompts', saying({ positiveTestCases: 4 }), ['submission.positive-tests']],
  ['has two prompts that are not for it', saying({ negativeTestCases: 2 }), ['submission.negative-tests']],
  ['has no prompt to begin with', saying({ starterPrompts: 0 }), ['submission.starter-prompts']],
  ['has no login', saying({ testAccount: false }), ['submission.reviewer-login']],
  ['is for no country', saying({ countries: [] }), ['submission.countries']],
  ['does not explain hints', saying({ toolJustifications: false }), ['submission.tool-justifications']],
  ['has no release notes', saying({ releaseNotes: '' }), ['submission.release-notes']],
];

const cases: [Directory, ...Case][] = [
  ...[...both, ...ofClaude].map((one): [Directory, ...Case] => ['claude', ...one]),
  ...[...both, ...ofOpenAi].map((one): [Directory, ...Case] => ['openai', ...one]),
];

/** Checks of both directories that are not decisive in the one named here. */
const onlyRecommended = new Set(['openai.auth.challenge-names-resource-metadata']);

test.each(cases)('%s: a server that %s violates exactly what it should', async (kind, _name, change, ids) => {
  const { deciding, run } = await assess({ service, target }, kind, { declared, ...change(target) });
  const expected = ids.map((id) => `${kind}.${id}`).filter((id) => !onlyRecommended.has(id));
  expect(deciding('violated').toSorted()).toEqual(expected.toSorted());
  expect(run.overallStatus === 'not-ready').toBe(expected.length > 0);
});

/** Checks that need skills or a baseline; test/readiness-evidence.test.ts covers them. */
const elsewhere = [
  'openai.skills.listed',
  'openai.skills.valid',
  'openai.package.manifest',
  'openai.release.contract-unchanged',
];

test.each(['claude', 'openai'] as const)(
  'every check of %s that decides has a server that violates it',
  (kind) => {
    const broken = cases.flatMap(([directory, , , ids]) => ids.map((id) => `${directory}.${id}`));
    const deciding = checksOf[kind].filter(
      (one) => one.class === 'required' || one.class === 'runtime-blocker',
    );
    const untried = deciding.map(({ id }) => id).filter((id) => ![...broken, ...elsewhere].includes(id));
    expect(untried).toEqual([]);
  },
);
