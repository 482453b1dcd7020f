import { ifKnown, listing, notApplicable, type Rule, satisfied, violated } from '../check.ts';
import { whenOpen } from './session.ts';

const criteria = 'Connectors: review criteria';
const submission = 'Plugins: submission';

const transport = {
  lane: 'runtime-compatibility',
  class: 'runtime-blocker',
  intrusiveness: 'passive',
} as const;

export const endpointRules: readonly Rule[] = [
  {
    ...transport,
    title: 'The server uses HTTPS',
    provenance: 'static',
    remediation: 'Serve it over HTTPS with a certificate from a public certificate authority.',
    claude: listing('endpoint.https', criteria, 'Transport'),
    openai: listing('endpoint.https', submission, 'Endpoint'),
    evaluate: ({ endpoint }) => (endpoint.secure ? satisfied() : violated('The URL starts with http://')),
  },
  {
    ...transport,
    title: 'Redirects stay on HTTPS',
    class: 'required',
    provenance: 'wire',
    remediation: 'Redirect to HTTPS URLs only, or submit the URL the redirect leads to.',
    claude: listing('endpoint.redirects-stay-https', criteria, 'Transport'),
    openai: listing('endpoint.redirects-stay-https', submission, 'Endpoint'),
    evaluate: ({ redirects, endpoint }) =>
      ifKnown(redirects, ({ hops }) => {
        const plain = hops.slice(1).filter(({ secure }) => !secure);
        if (hops.length === 1 || !endpoint.secure)
          return notApplicable('The server does not redirect from HTTPS');
        if (plain.length === 0) return satisfied({ hops: hops.length - 1 });
        return violated('A redirect leads to http://', { items: plain.map(({ url }) => url) });
      }),
  },
  {
    ...transport,
    title: 'Redirects reach the server',
    provenance: 'wire',
    remediation: 'Answer at the submitted URL itself. At most five redirects are followed.',
    claude: listing('endpoint.redirects-terminate', criteria, 'Transport'),
    openai: listing('endpoint.redirects-terminate', submission, 'Endpoint'),
    evaluate: ({ redirects }) =>
      ifKnown(redirects, ({ hops, ended, problem = 'The redirects do not end' }) =>
        ended === 'answer'
          ? satisfied({ hops: hops.length - 1 })
          : violated(problem, { items: hops.map(({ url }) => url) }),
      ),
  },
  {
    ...transport,
    title: 'The URL is public',
    class: 'required',
    provenance: 'static',
    remediation: 'Submit the public host name of the server. Claude connects from its own network.',
    claude: listing('endpoint.publicly-reachable', criteria, 'Transport'),
    openai: listing('endpoint.publicly-reachable', submission, 'Endpoint', {
      title: 'The URL is public and stable',
      remediation: 'Submit the public host name of the server. Tunnels and test URLs are not accepted.',
    }),
    evaluate: ({ endpoint: { tunnel, notPublic } }) => {
      if (tunnel) return violated('The URL leads through a tunnel');
      return notPublic === undefined ? satisfied() : violated(notPublic);
    },
  },
  {
    ...transport,
    title: 'The server opens an MCP session',
    provenance: 'wire',
    intrusiveness: 'read-only',
    remediation: 'Run diagnostics on the server to see where the handshake fails.',
    claude: listing('endpoint.session-opens', criteria, 'Functionality'),
    openai: listing('endpoint.session-opens', submission, 'Endpoint'),
    evaluate: ({ session }) =>
      ifKnown(session, (facts) =>
        facts.open
          ? satisfied({ protocolVersion: facts.protocolVersion, transport: facts.transport })
          : violated(facts.problem),
      ),
  },
  {
    ...transport,
    title: 'The server supports Streamable HTTP',
    class: 'required',
    provenance: 'wire',
    intrusiveness: 'read-only',
    remediation: 'Offer Streamable HTTP at the submitted URL. The HTTP+SSE transport is deprecated.',
    claude: listing('endpoint.streamable-http', criteria, 'Transport'),
    openai: listing('endpoint.streamable-http', submission, 'Endpoint', { class: 'recommended' }),
    evaluate: (evidence) =>
      whenOpen(evidence, (session) =>
        session.transport === 'sse'
          ? violated('The server offers only the HTTP+SSE transport of 2024-11-05')
          : satisfied({ transport: session.transport }),
      ),
  },
  {
    title: 'Requests from other origins are rejected',
    lane: 'directory-policy',
    class: 'required',
    provenance: 'wire',
    intrusiveness: 'read-only',
    remediation: 'Compare the Origin header with the origins you expect, and answer others with 403.',
    claude: listing('endpoint.origin-checked', criteria, 'Security'),
    evaluate: ({ foreignOrigin }) =>
      ifKnown(foreignOrigin, ({ accepted, status }) =>
        accepted
          ? violated('The server answered a request with the Origin of another site', { status })
          : satisfied({ status }),
      ),
  },
  {
    title: 'The server serves the domain verification token',
    lane: 'submission-artifacts',
    class: 'required',
    provenance: 'wire',
    intrusiveness: 'passive',
    remediation:
      'Serve the token from the submission page as text at /.well-known/openai-apps-challenge. Declare domainChallenge to have it compared.',
    openai: listing('domain.challenge-served', submission, 'Domain verification'),
    evaluate: ({ domainChallenge, declared: { domainChallenge: wanted } }) =>
      ifKnown(domainChallenge, ({ status, token }) => {
        if (status !== 200 || token === '') return violated('No token is served', { status });
        return wanted === undefined || wanted === token
          ? satisfied({ compared: wanted !== undefined })
          : violated('The served token is not the declared one');
      }),
  },
];
