import type {
  AuthorizationServerMetadata,
  OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import { causesOf, failureIn, McpFailure, unreachable } from './failures.ts';
import type { Outbound } from './outbound.ts';
import { hideSecrets } from './target.ts';

/** The authorization metadata of a server and its authorization server. */
export interface AuthorizationFacts {
  resourceMetadataUrl?: string;
  resourceMetadata?: OAuthProtectedResourceMetadata;
  authorizationServerUrl?: string;
  authorizationServerMetadata?: AuthorizationServerMetadata;
  /** Why the metadata is missing or not trusted. */
  problem?: string;
  /** The issuer in the metadata differs from the URL of the authorization server. */
  issuerMismatch?: true;
}

const sdk = () => import('@modelcontextprotocol/client');

type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Reads the metadata documents. Never throws, because partial metadata is worth reporting too. */
export async function discoverAuthorization(
  outbound: Outbound,
  serverUrl: string,
  resourceMetadataUrl: string | undefined,
  signal: AbortSignal,
): Promise<AuthorizationFacts> {
  const fetchFn = within(outbound, signal);
  const { discoverAuthorizationServerMetadata, discoverOAuthProtectedResourceMetadata } = await sdk();
  const facts: AuthorizationFacts = { ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }) };
  let answeredAt: string | undefined;
  try {
    const resource = await discoverOAuthProtectedResourceMetadata(
      serverUrl,
      { ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }) },
      async (url, init) => {
        answeredAt = String(url);
        return fetchFn(url, init);
      },
    );
    facts.resourceMetadata = resource;
    // Discovery tries several well-known URLs and stops at the first that answers, so the last one tried answered.
    if (answeredAt !== undefined) facts.resourceMetadataUrl = answeredAt;
    const [issuer] = resource.authorization_servers ?? [];
    if (issuer !== undefined) facts.authorizationServerUrl = issuer;
  } catch (error) {
    facts.problem = `The server publishes no protected resource metadata (${reasonOf(error)})`;
  }
  // Servers of revision 2025-03-26 were their own authorization servers.
  const issuer = facts.authorizationServerUrl ?? new URL('/', serverUrl).href;
  try {
    const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
    if (metadata) {
      facts.authorizationServerUrl = issuer;
      facts.authorizationServerMetadata = metadata;
      delete facts.problem;
    } else if (facts.resourceMetadata) facts.problem = `${issuer} publishes no authorization server metadata`;
  } catch (error) {
    if (isIssuerMismatch(error)) facts.issuerMismatch = true;
    facts.problem = facts.issuerMismatch
      ? `The authorization server metadata of ${issuer} names another issuer. Clients that follow the specification refuse it; make \`issuer\` equal to ${issuer}`
      : `The authorization server metadata of ${issuer} cannot be read (${reasonOf(error)})`;
  }
  return facts;
}

/** The authorization server that issues and refreshes the tokens of a server. */
export interface AuthorizationServer {
  issuer: string;
  metadata?: AuthorizationServerMetadata;
}

/** The named authorization server, or the one that the MCP server names. */
export async function findAuthorizationServer(
  outbound: Outbound,
  serverUrl: string,
  named: string | null,
  signal: AbortSignal,
): Promise<AuthorizationServer> {
  if (named === null) {
    const facts = await discoverAuthorization(outbound, serverUrl, undefined, signal);
    const { authorizationServerUrl: issuer, authorizationServerMetadata: metadata, problem } = facts;
    if (issuer !== undefined && metadata) return { issuer, metadata };
    // A refresh token is never sent to a guessed authorization server.
    throw new McpFailure(
      'unknown',
      `The token could not be refreshed: ${problem}. Name the authorization server with \`authorizationServerUrl\` when importing`,
    );
  }
  const { discoverAuthorizationServerMetadata } = await sdk();
  const metadata = await discoverAuthorizationServerMetadata(named, {
    fetchFn: within(outbound, signal),
  }).catch((error: unknown) => {
    throw refreshFailure(error, named);
  });
  return { issuer: named, ...(metadata && { metadata }) };
}

export interface RefreshRequest {
  resource: string;
  clientId: string;
  clientSecret?: string | undefined;
  refreshToken: string;
}

export interface RefreshedTokens {
  accessToken: string;
  refreshToken: string;
  expiresIn?: number;
  scope?: string;
}

/** Exchanges a refresh token. A failure of kind `unauthorized` means that the grant is permanently invalid. */
export async function refreshTokens(
  outbound: Outbound,
  { issuer, metadata }: AuthorizationServer,
  { resource, clientId, clientSecret, refreshToken }: RefreshRequest,
  signal: AbortSignal,
): Promise<RefreshedTokens> {
  const { refreshAuthorization } = await sdk();
  try {
    const tokens = await refreshAuthorization(issuer, {
      ...(metadata && { metadata }),
      clientInformation: {
        client_id: clientId,
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
      },
      refreshToken,
      resource: new URL(resource),
      fetchFn: within(outbound, signal),
    });
    return {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? refreshToken,
      ...(tokens.expires_in !== undefined && { expiresIn: tokens.expires_in }),
      ...(tokens.scope !== undefined && { scope: tokens.scope }),
    };
  } catch (error) {
    // The response may echo the secrets, even as an error code.
    throw hideSecrets(refreshFailure(error, issuer), [refreshToken, clientSecret ?? ''].filter(Boolean));
  }
}

/** Error codes for a permanently refused grant or client. */
const final = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

function finalRefusal(code: string): string {
  const aboutClient = code === 'invalid_client' || code === 'unauthorized_client';
  const next = aboutClient ? '; import the tokens with the `clientInformation` they were issued to' : '';
  return `The authorization server refused to refresh the token (${code})${next}`;
}

function refreshFailure(error: unknown, issuer: string): McpFailure {
  for (const cause of causesOf(error))
    if (isOAuthError(cause) && final.has(cause.code))
      return new McpFailure('unauthorized', finalRefusal(cause.code), { grantDead: true });
  const known = failureIn(error);
  const late = [...causesOf(error)].some(({ name }) => name === 'TimeoutError');
  const host = new URL(issuer).host;
  return new McpFailure(
    known?.kind ?? (late ? 'timeout' : 'unknown'),
    `The token could not be refreshed at ${host}: ${late ? 'it did not answer in time' : reasonOf(error)}`,
    known?.facts ?? {},
  );
}

function within(outbound: Outbound, signal: AbortSignal): FetchLike {
  return (url, init) => outbound.follow(url, { ...init, signal });
}

function reasonOf(error: unknown): string {
  const known = failureIn(error);
  if (known) return known.message.replace(`${unreachable}: `, '');
  if (isIssuerMismatch(error)) return 'its metadata names another issuer';
  // The rest of the message may echo the request.
  const status = /^HTTP (\d{3})\b/.exec(error instanceof Error ? error.message : '')?.[1];
  if (status !== undefined) return `it answered with HTTP status ${status}`;
  if (isOAuthError(error) && /^[a-z_]{1,100}$/.test(error.code)) return `it returned the error ${error.code}`;
  return 'its answer is not what OAuth prescribes';
}

/** Compared by name, because the class is in the SDK, which is loaded lazily. */
function isIssuerMismatch(error: unknown): boolean {
  return error instanceof Error && error.name === 'IssuerMismatchError';
}

function isOAuthError(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error &&
    error.name === 'OAuthError' &&
    typeof (error as { code?: unknown }).code === 'string'
  );
}
