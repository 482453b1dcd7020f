import { from, noneOf, notApplicable, notEvaluated, type Outcome, satisfied, violated } from '../../check.ts';
import type {
  AuthorizationServerFacts,
  ChallengeFacts,
  Evidence,
  ResourceMetadataFacts,
} from '../../evidence.ts';

/** For rules about authorization: they do not apply to a server that answers without. */
function whenAsked({ challenge }: Evidence, judge: (challenge: ChallengeFacts) => Outcome): Outcome {
  return from(challenge, (facts) => {
    if (facts.answered) return notApplicable('The server answers without authorization');
    if (facts.status === 401 || facts.scheme !== undefined) return judge(facts);
    return notEvaluated(`The server answered a request without credentials with HTTP status ${facts.status}`);
  });
}

function whenResourceKnown(evidence: Evidence, judge: (facts: ResourceMetadataFacts) => Outcome): Outcome {
  return whenAsked(evidence, () =>
    from(evidence.resourceMetadata, (facts) =>
      facts.published ? judge(facts) : notApplicable('There is no protected resource metadata'),
    ),
  );
}

function whenIssuerKnown(evidence: Evidence, judge: (facts: AuthorizationServerFacts) => Outcome): Outcome {
  return whenAsked(evidence, () =>
    from(evidence.authorizationServer, (facts) =>
      facts.published ? judge(facts) : notApplicable('There is no authorization server metadata'),
    ),
  );
}

/** Nothing, or OAuth; not a key that people paste. */
export function knownMode(evidence: Evidence): Outcome {
  const { challenge, resourceMetadata, authorizationServer } = evidence;
  if (challenge.known && challenge.value.answered) return satisfied({ mode: 'none' });
  return whenAsked(evidence, () =>
    from(resourceMetadata, (resource) =>
      from(authorizationServer, (issuer) => {
        if (resource.published || issuer.published || issuer.issuerMismatch)
          return satisfied({ mode: 'oauth' });
        return violated({
          problem: 'The server asks for authorization and publishes nothing about OAuth',
        });
      }),
    ),
  );
}

export function challenges(evidence: Evidence): Outcome {
  return whenAsked(evidence, ({ status, scheme }) => {
    if (status !== 401) return violated({ problem: `It answers with HTTP status ${status}, not 401` });
    if (scheme === undefined) return violated({ problem: 'The 401 has no WWW-Authenticate header' });
    return scheme.toLowerCase() === 'bearer'
      ? satisfied()
      : violated({ problem: `WWW-Authenticate asks for ${scheme}, not Bearer` });
  });
}

export function namesResourceMetadata(evidence: Evidence): Outcome {
  return whenAsked(evidence, ({ scheme, resourceMetadataUrl }) => {
    if (scheme === undefined) return notApplicable('There is no WWW-Authenticate header');
    return resourceMetadataUrl === undefined
      ? violated({ problem: 'WWW-Authenticate has no resource_metadata' })
      : satisfied({ url: resourceMetadataUrl });
  });
}

export function publishesResourceMetadata(evidence: Evidence): Outcome {
  return whenAsked(evidence, () =>
    from(evidence.resourceMetadata, (facts) =>
      facts.published ? satisfied({ url: facts.url }) : violated({ problem: facts.problem }),
    ),
  );
}

export function resourceIsAddress(evidence: Evidence): Outcome {
  return whenResourceKnown(evidence, ({ resource }) =>
    placeOf(resource) === placeOf(evidence.endpoint.url)
      ? satisfied()
      : violated({ problem: 'resource is not the address of the server', resource }),
  );
}

/** Without a query, and without a slash at the end. */
function placeOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

export function publishesIssuer(evidence: Evidence): Outcome {
  return whenAsked(evidence, () =>
    from(evidence.authorizationServer, (facts) => {
      if (facts.published) return satisfied({ issuer: facts.issuer });
      if (facts.issuerMismatch) return notApplicable('It is published, and names another issuer');
      return violated({ problem: facts.problem });
    }),
  );
}

export function issuerNamesItself(evidence: Evidence): Outcome {
  return whenAsked(evidence, () =>
    from(evidence.authorizationServer, (facts) => {
      if (facts.published) return satisfied({ issuer: facts.issuer });
      if (facts.issuerMismatch) return violated({ problem: facts.problem });
      return notApplicable('There is no authorization server metadata');
    }),
  );
}

export function offersS256(evidence: Evidence): Outcome {
  return whenIssuerKnown(evidence, ({ challengeMethods }) =>
    challengeMethods.includes('S256')
      ? satisfied()
      : violated({
          problem: 'code_challenge_methods_supported does not list S256',
          listed: challengeMethods,
        }),
  );
}

/** A way for a client nobody has told the server about. */
export function clientsAreAcquired(evidence: Evidence): Outcome {
  return whenIssuerKnown(evidence, (facts) => {
    const ways = [
      ...(facts.registrationEndpoint === undefined ? [] : ['dynamic registration']),
      ...(facts.clientMetadataDocuments ? ['client id metadata documents'] : []),
      ...(evidence.declared.predefinedClient ? ['a client that the directory was given'] : []),
    ];
    return ways.length > 0
      ? satisfied({ ways })
      : violated({
          problem:
            'There is no registration_endpoint, no client_id_metadata_document_supported and no declared client',
        });
  });
}

export function metadataClientsArePublic(evidence: Evidence): Outcome {
  return whenIssuerKnown(evidence, ({ clientMetadataDocuments, tokenAuthMethods }) => {
    if (!clientMetadataDocuments) return notApplicable('Client id metadata documents are not supported');
    return tokenAuthMethods.includes('none')
      ? satisfied()
      : violated({
          problem: 'token_endpoint_auth_methods_supported does not list none',
          listed: tokenAuthMethods,
        });
  });
}

export function usesAuthorizationCode(evidence: Evidence): Outcome {
  return whenIssuerKnown(evidence, ({ grantTypes, authorizationEndpoint }) => {
    // Left out, the list means authorization_code and implicit.
    const listed = grantTypes.length === 0 || grantTypes.includes('authorization_code');
    return listed && authorizationEndpoint !== undefined
      ? satisfied()
      : violated({
          problem: 'People cannot sign in: there is no authorization_code grant',
          listed: grantTypes,
        });
  });
}

export function endpointsAreSecure(evidence: Evidence): Outcome {
  return whenIssuerKnown(evidence, (facts) => {
    const all = [facts.issuer, facts.authorizationEndpoint, facts.tokenEndpoint, facts.registrationEndpoint];
    const plain = all.filter((url) => url !== undefined && !url.startsWith('https://'));
    return noneOf(plain as string[], 'Endpoints of the authorization server are not https');
  });
}

export function namesScopes(evidence: Evidence): Outcome {
  return whenResourceKnown(evidence, ({ scopes }) =>
    scopes.length > 0
      ? satisfied({ scopes: scopes.slice(0, 20) })
      : violated({ problem: 'The protected resource metadata has no scopes_supported' }),
  );
}

export function registersClients({ registration, authorizationServer }: Evidence): Outcome {
  const server = authorizationServer.known ? authorizationServer.value : undefined;
  if (server?.published && server.registrationEndpoint === undefined)
    return notApplicable('There is no registration_endpoint');
  return from(registration, ({ registered, status }) =>
    registered
      ? satisfied({ status })
      : violated({ problem: `The registration was answered with HTTP status ${status}` }),
  );
}
