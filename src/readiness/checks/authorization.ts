import {
  ifKnown,
  listing,
  noneOf,
  notApplicable,
  notEvaluated,
  type Outcome,
  type Rule,
  satisfied,
  violated,
} from '../check.ts';
import type {
  AuthorizationServerFacts,
  ChallengeFacts,
  Evidence,
  ResourceMetadataFacts,
} from '../evidence.ts';
import { declared } from './declared.ts';

const connectors = 'Connectors: authentication';
const plugins = 'Plugins: authentication';

const challenge = {
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'passive',
} as const;
const discovery = { ...challenge, requiresCapabilities: ['oauth-discovery'] } as const;

export const authorizationRules: readonly Rule[] = [
  {
    ...challenge,
    title: 'The server uses OAuth or no authorization',
    remediation: 'Offer OAuth 2.1 instead of API keys that people paste.',
    claude: listing('auth.mode', connectors, 'Supported authorization'),
    openai: listing('auth.mode', plugins, 'Overview'),
    evaluate: (evidence) => {
      if (answersEveryone(evidence)) return satisfied({ mode: 'none' });
      return whenProtected(evidence, () =>
        ifKnown(evidence.resourceMetadata, (resource) =>
          ifKnown(evidence.authorizationServer, (issuer) =>
            resource.published || issuer.published || issuer.issuerMismatch
              ? satisfied({ mode: 'oauth' })
              : violated('The server requires authorization and publishes no OAuth metadata'),
          ),
        ),
      );
    },
  },
  {
    ...challenge,
    title: 'The URL contains no credentials',
    provenance: 'static',
    remediation: 'Read tokens from the Authorization header, and submit the URL without them.',
    claude: listing('auth.no-credentials-in-url', connectors, 'Supported authorization'),
    openai: listing('auth.no-credentials-in-url', plugins, 'Overview'),
    evaluate: ({ endpoint: { credentials } }) =>
      credentials.length === 0
        ? satisfied()
        : violated('The URL contains credentials', { items: credentials }),
  },
  {
    ...challenge,
    title: 'A request without a token is answered with 401 and a challenge',
    remediation: 'Answer with status 401 and `WWW-Authenticate: Bearer`.',
    claude: listing('auth.unauthenticated-challenge', connectors, 'Discovery'),
    openai: listing('auth.unauthenticated-challenge', plugins, 'Challenges'),
    evaluate: (evidence) =>
      whenProtected(evidence, ({ status, scheme }) => {
        if (status !== 401) return violated(`The server answers with HTTP status ${status}, not 401`);
        if (scheme === undefined) return violated('The 401 has no WWW-Authenticate header');
        return scheme.toLowerCase() === 'bearer'
          ? satisfied()
          : violated(`WWW-Authenticate asks for ${scheme}, not Bearer`);
      }),
  },
  {
    ...challenge,
    title: 'The challenge names the protected resource metadata',
    remediation: 'Add `resource_metadata="…"` with the URL of the metadata to WWW-Authenticate.',
    claude: listing('auth.challenge-names-resource-metadata', connectors, 'Discovery'),
    openai: listing('auth.challenge-names-resource-metadata', plugins, 'Challenges', {
      class: 'recommended',
    }),
    evaluate: (evidence) =>
      whenProtected(evidence, ({ scheme, resourceMetadataUrl }) => {
        if (scheme === undefined) return notApplicable('There is no WWW-Authenticate header');
        return resourceMetadataUrl === undefined
          ? violated('WWW-Authenticate has no resource_metadata')
          : satisfied({ url: resourceMetadataUrl });
      }),
  },
  {
    ...discovery,
    title: 'The protected resource metadata is published',
    remediation: 'Serve the metadata of RFC 9728 at its well-known URL.',
    claude: listing('auth.prm-discoverable', connectors, 'Discovery'),
    openai: listing('auth.prm-discoverable', plugins, 'Discovery'),
    evaluate: (evidence) =>
      whenProtected(evidence, () =>
        ifKnown(evidence.resourceMetadata, (facts) =>
          facts.published ? satisfied({ url: facts.url }) : violated(facts.problem),
        ),
      ),
  },
  {
    ...discovery,
    title: 'The metadata names the submitted URL as its resource',
    remediation: 'Set `resource` to the URL that people enter.',
    claude: listing('auth.prm-resource-matches-entered-url', connectors, 'Discovery'),
    openai: listing('auth.prm-resource-matches-entered-url', plugins, 'Resource parameter', {
      remediation: 'Set `resource` to the submitted URL, and accept it as the audience of tokens.',
    }),
    evaluate: (evidence) =>
      whenResourceKnown(evidence, ({ resource }) =>
        withoutQuery(resource) === withoutQuery(evidence.endpoint.url)
          ? satisfied()
          : violated('resource is not the URL of the server', { resource }),
      ),
  },
  {
    ...discovery,
    title: 'The authorization server publishes its metadata',
    remediation: 'Serve the metadata of RFC 8414 or OpenID Connect Discovery below the issuer URL.',
    claude: listing('auth.as-metadata-discoverable', connectors, 'Discovery'),
    openai: listing('auth.as-metadata-discoverable', plugins, 'Discovery'),
    evaluate: (evidence) =>
      whenProtected(evidence, () =>
        ifKnown(evidence.authorizationServer, (facts) => {
          if (facts.published) return satisfied({ issuer: facts.issuer });
          if (facts.issuerMismatch) return notApplicable('The metadata names another issuer');
          return violated(facts.problem);
        }),
      ),
  },
  {
    ...discovery,
    title: 'The issuer in the metadata matches its URL',
    remediation: 'Make `issuer` exactly equal to the URL in `authorization_servers`.',
    claude: listing('auth.issuer-matches', connectors, 'Discovery'),
    openai: listing('auth.issuer-matches', plugins, 'Discovery'),
    evaluate: (evidence) =>
      whenProtected(evidence, () =>
        ifKnown(evidence.authorizationServer, (facts) => {
          if (facts.published) return satisfied({ issuer: facts.issuer });
          return facts.issuerMismatch ? violated(facts.problem) : noServerMetadata();
        }),
      ),
  },
  {
    ...discovery,
    title: 'PKCE with S256 is advertised',
    remediation: 'List S256 in `code_challenge_methods_supported`.',
    claude: listing('auth.pkce-s256-advertised', connectors, 'Requirements of the flow'),
    openai: listing('auth.pkce-s256-advertised', plugins, 'PKCE'),
    evaluate: (evidence) =>
      whenIssuerKnown(evidence, ({ challengeMethods: listed }) =>
        listed.includes('S256')
          ? satisfied()
          : violated('code_challenge_methods_supported does not list S256', { listed }),
      ),
  },
  {
    ...discovery,
    title: 'Claude can get a client ID',
    remediation:
      'Offer dynamic registration or client ID metadata documents, or give Anthropic a client and declare predefinedClient.',
    claude: listing('auth.client-acquisition', connectors, 'Clients'),
    openai: listing('auth.client-acquisition', plugins, 'Clients', {
      title: 'ChatGPT can get a client ID',
      remediation:
        'Offer client ID metadata documents or dynamic registration, or enter a client in the submission and declare predefinedClient.',
    }),
    evaluate: (evidence) =>
      whenIssuerKnown(evidence, (facts) => {
        const ways = [
          ...(facts.registrationEndpoint === undefined ? [] : ['dynamic registration']),
          ...(facts.clientMetadataDocuments ? ['client ID metadata documents'] : []),
          ...(evidence.declared.predefinedClient ? ['a client that the directory was given'] : []),
        ];
        return ways.length > 0
          ? satisfied({ ways })
          : violated(
              'There is no registration_endpoint, no client_id_metadata_document_supported and no declared client',
            );
      }),
  },
  {
    ...discovery,
    title: 'Clients identified by a metadata document need no secret',
    remediation: 'List `none` in `token_endpoint_auth_methods_supported`.',
    claude: listing('auth.metadata-clients-public', connectors, 'Clients'),
    evaluate: (evidence) =>
      whenIssuerKnown(evidence, ({ clientMetadataDocuments, tokenAuthMethods: listed }) => {
        if (!clientMetadataDocuments) return notApplicable('Client ID metadata documents are not supported');
        return listed.includes('none')
          ? satisfied()
          : violated('token_endpoint_auth_methods_supported does not list none', { listed });
      }),
  },
  {
    ...discovery,
    title: 'The authorization code grant is supported',
    remediation: 'Offer the authorization_code grant. client_credentials alone is not accepted.',
    claude: listing('auth.authorization-code', connectors, 'Requirements of the flow'),
    openai: listing('auth.authorization-code', plugins, 'Overview', {
      remediation: 'Offer the authorization_code grant.',
    }),
    evaluate: (evidence) =>
      whenIssuerKnown(evidence, ({ grantTypes: listed, authorizationEndpoint }) => {
        // RFC 8414: a missing list means authorization_code and implicit.
        const offered = listed.length === 0 || listed.includes('authorization_code');
        return offered && authorizationEndpoint !== undefined
          ? satisfied()
          : violated('People cannot sign in: there is no authorization_code grant', { listed });
      }),
  },
  {
    ...discovery,
    title: 'The authorization server uses HTTPS',
    remediation: 'Serve every endpoint of the authorization server over HTTPS.',
    claude: listing('auth.endpoints-https', connectors, 'Requirements of the flow'),
    openai: listing('auth.endpoints-https', plugins, 'Overview'),
    evaluate: (evidence) =>
      whenIssuerKnown(evidence, ({ issuer, authorizationEndpoint, tokenEndpoint, registrationEndpoint }) => {
        const urls = [issuer, authorizationEndpoint, tokenEndpoint, registrationEndpoint];
        return noneOf(
          urls.filter((url) => url !== undefined).filter((url) => !url.startsWith('https://')),
          'Endpoints of the authorization server do not use HTTPS',
        );
      }),
  },
  {
    ...discovery,
    title: 'The scopes are listed',
    lane: 'optional-features',
    class: 'recommended',
    remediation: 'List the scopes in `scopes_supported` of the protected resource metadata.',
    claude: listing('auth.scopes-named', connectors, 'Scopes'),
    openai: listing('auth.scopes-named', plugins, 'Scopes', {
      remediation:
        'List the scopes in `scopes_supported` of the protected resource metadata, and enforce them.',
    }),
    evaluate: (evidence) =>
      whenResourceKnown(evidence, ({ scopes }) =>
        scopes.length > 0
          ? satisfied({ scopes: scopes.slice(0, 20) })
          : violated('The protected resource metadata has no scopes_supported'),
      ),
  },
  {
    title: "Claude's callback URL is allowed",
    lane: 'submission-artifacts',
    class: 'manual-review',
    provenance: 'declared',
    intrusiveness: 'passive',
    remediation:
      'Allow the callback URLs of claude.ai and claude.com at the authorization server, and declare callbackUrls.',
    claude: listing('auth.callback-allowed', connectors, 'Callback'),
    evaluate: (evidence) =>
      declared(evidence, 'callbackUrls', (urls) => {
        const hosts = urls.map((url) => new URL(url).hostname);
        return hosts.includes('claude.ai')
          ? satisfied({ hosts })
          : violated('No declared callback URL is on claude.ai', { hosts });
      }),
  },
  {
    title: 'Clients can register dynamically',
    lane: 'optional-features',
    class: 'recommended',
    provenance: 'wire',
    intrusiveness: 'side-effecting',
    remediation: 'Accept registrations without a token at the registration_endpoint.',
    requiresCapabilities: ['side-effects', 'oauth-discovery'],
    claude: listing('intrusive.dynamic-registration', connectors, 'Clients'),
    openai: listing('auth.dynamic-registration', plugins, 'Clients'),
    evaluate: ({ registration, authorizationServer }) => {
      const server = authorizationServer.known ? authorizationServer.value : undefined;
      if (server?.published && server.registrationEndpoint === undefined)
        return notApplicable('There is no registration_endpoint');
      return ifKnown(registration, ({ registered, status }) =>
        registered
          ? satisfied({ status })
          : violated(`The registration was answered with HTTP status ${status}`),
      );
    },
  },
];

export function answersEveryone({ challenge: facts }: Evidence): boolean {
  return facts.known && facts.value.answered;
}

/** Rules about authorization do not apply to a server that answers without credentials. */
function whenProtected(evidence: Evidence, judge: (challenge: ChallengeFacts) => Outcome): Outcome {
  if (answersEveryone(evidence)) return notApplicable('The server answers without authorization');
  return ifKnown(evidence.challenge, (facts) =>
    facts.status === 401 || facts.scheme !== undefined
      ? judge(facts)
      : notEvaluated(`The server answered a request without credentials with HTTP status ${facts.status}`),
  );
}

function whenResourceKnown(evidence: Evidence, judge: (facts: ResourceMetadataFacts) => Outcome): Outcome {
  return whenProtected(evidence, () =>
    ifKnown(evidence.resourceMetadata, (facts) =>
      facts.published ? judge(facts) : notApplicable('There is no protected resource metadata'),
    ),
  );
}

function whenIssuerKnown(evidence: Evidence, judge: (facts: AuthorizationServerFacts) => Outcome): Outcome {
  return whenProtected(evidence, () =>
    ifKnown(evidence.authorizationServer, (facts) => (facts.published ? judge(facts) : noServerMetadata())),
  );
}

function noServerMetadata(): Outcome {
  return notApplicable('There is no authorization server metadata');
}

/** The URL without query and trailing slashes. */
function withoutQuery(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
