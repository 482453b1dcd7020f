import { from, notApplicable, type Outcome, satisfied, violated } from '../../check.ts';
import type { Evidence } from '../../evidence.ts';

export function overHttps({ endpoint }: Evidence): Outcome {
  return endpoint.secure ? satisfied() : violated({ problem: 'The address begins with http://' });
}

export function redirectsStaySecure({ redirects, endpoint }: Evidence): Outcome {
  return from(redirects, ({ hops }) => {
    const plain = hops.slice(1).filter(({ secure }) => !secure);
    if (hops.length === 1 || !endpoint.secure)
      return notApplicable('The server does not redirect from https');
    if (plain.length === 0) return satisfied({ hops: hops.length - 1 });
    return violated({ problem: 'A redirect leads to http://', items: plain.map(({ url }) => url) });
  });
}

export function redirectsEnd({ redirects }: Evidence): Outcome {
  return from(redirects, ({ hops, ended, problem }) =>
    ended === 'answer'
      ? satisfied({ hops: hops.length - 1 })
      : violated({ problem: problem ?? 'The redirects do not end', items: hops.map(({ url }) => url) }),
  );
}

export function publiclyReachable({ endpoint }: Evidence): Outcome {
  if (endpoint.tunnel) return violated({ problem: 'The address leads through a tunnel' });
  return endpoint.notPublic === undefined ? satisfied() : violated({ problem: endpoint.notPublic });
}

export function opensSession({ session }: Evidence): Outcome {
  return from(session, (facts) =>
    facts.open
      ? satisfied({ protocolVersion: facts.protocolVersion, transport: facts.transport })
      : violated({ problem: facts.problem }),
  );
}

export function streamsOverHttp({ session }: Evidence): Outcome {
  return from(session, (facts) => {
    if (!facts.open) return notApplicable('No session came about');
    if (facts.transport !== 'sse') return satisfied({ transport: facts.transport });
    return violated({ problem: 'Only the HTTP+SSE transport of 2024-11-05 is offered' });
  });
}

export function refusesForeignOrigins({ foreignOrigin }: Evidence): Outcome {
  return from(foreignOrigin, ({ accepted, status }) =>
    accepted
      ? violated({ problem: 'A request with the Origin of another site is answered', status })
      : satisfied({ status }),
  );
}

export function noCredentialsInAddress({ endpoint }: Evidence): Outcome {
  if (endpoint.credentials.length === 0) return satisfied();
  return violated({ problem: 'The address holds credentials', items: endpoint.credentials });
}
