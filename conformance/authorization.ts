import { randomUUID } from 'node:crypto';
import {
  auth,
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { Outbound } from '../src/mcp/outbound.ts';

export interface Authorization {
  provider: OAuthClientProvider;
  /** How often a token was granted. */
  granted(): number;
  /** Why the last authorization came to nothing. */
  failure(): unknown;
}

const callback = 'http://localhost:8976/callback';

export function authorizationFor(
  scenario: string,
  context: Record<string, unknown>,
  serverUrl: string,
  outbound: Outbound,
): Authorization {
  const machine = machineProvider(scenario, context, outbound);
  if (machine) return { provider: machine, granted: () => 0, failure: () => undefined };
  const person = new Person(serverUrl, outbound, scenario.startsWith('auth/dpop'));
  if (typeof context['client_id'] === 'string')
    person.saveClientInformation({
      client_id: context['client_id'],
      ...(typeof context['client_secret'] === 'string' && { client_secret: context['client_secret'] }),
    });
  return { provider: person, granted: () => person.granted, failure: () => person.failure };
}

/** Extensions for clients without a person in front of them. */
function machineProvider(
  scenario: string,
  context: Record<string, unknown>,
  outbound: Outbound,
): OAuthClientProvider | undefined {
  const text = (name: string): string => String(context[name]);
  switch (scenario) {
    case 'auth/client-credentials-jwt':
      return new PrivateKeyJwtProvider({
        clientId: text('client_id'),
        privateKey: text('private_key_pem'),
        algorithm: context['signing_algorithm'] === undefined ? 'ES256' : text('signing_algorithm'),
      });
    case 'auth/client-credentials-basic':
      return new ClientCredentialsProvider({
        clientId: text('client_id'),
        clientSecret: text('client_secret'),
      });
    case 'auth/cross-app-access-complete-flow':
    case 'auth/enterprise-managed-authorization':
      return new CrossAppAccessProvider({
        clientId: text('client_id'),
        clientSecret: text('client_secret'),
        fetchFn: outbound.follow,
        assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
          const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
            tokenEndpoint: text('idp_token_endpoint'),
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: text('idp_id_token'),
            clientId: text('idp_client_id'),
            ...(scope !== undefined && { scope }),
            fetchFn,
          });
          return jwtAuthGrant;
        },
      });
    default:
      return undefined;
  }
}

/** A person who agrees to everything: follows the redirect, and brings the code back. */
class Person implements OAuthClientProvider {
  granted = 0;
  failure: unknown;
  readonly redirectUrl = callback;
  readonly clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'drydock-conformance',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
  private readonly serverUrl: string;
  private readonly outbound: Outbound;
  private readonly session: Promise<DpopSession> | undefined;
  private readonly clients = new Map<string, StoredOAuthClientInformation>();
  private current: StoredOAuthTokens | undefined;
  private verifier = '';
  private expectedState = '';
  private discovered: OAuthDiscoveryState | undefined;

  constructor(serverUrl: string, outbound: Outbound, proves: boolean) {
    this.serverUrl = serverUrl;
    this.outbound = outbound;
    this.session = proves ? DpopSession.create() : undefined;
  }

  state(): string {
    this.expectedState = randomUUID();
    return this.expectedState;
  }

  clientInformation(of?: { issuer: string }): StoredOAuthClientInformation | undefined {
    return this.clients.get(of?.issuer ?? '') ?? this.clients.get('');
  }

  saveClientInformation(client: StoredOAuthClientInformation, of?: { issuer: string }): void {
    // Registered beforehand, and now bound to the issuer it was first used with.
    this.clients.delete('');
    this.clients.set(of?.issuer ?? '', client);
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.current;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.current = tokens;
    this.granted++;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovered;
  }

  async dpop(): Promise<DpopSession | undefined> {
    return this.session;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    try {
      await this.agree(url);
    } catch (error) {
      this.failure = error;
      throw error;
    } finally {
      // The next challenge may name another authorization server.
      this.discovered = undefined;
    }
  }

  private async agree(url: URL): Promise<void> {
    const response = await this.outbound.fetch(url);
    const location = response.headers.get('location');
    if (location === null) throw new Error(`no redirect but HTTP status ${response.status}`);
    const answer = new URL(location).searchParams;
    const code = answer.get('code');
    if (code === null) throw new Error(`no code but ${answer.get('error')}`);
    if (answer.get('state') !== this.expectedState) throw new Error('the state is not ours');
    const iss = answer.get('iss');
    const scope = url.searchParams.get('scope');
    await auth(this, {
      serverUrl: this.serverUrl,
      authorizationCode: code,
      ...(iss !== null && { iss }),
      ...(scope !== null && { scope }),
      fetchFn: this.outbound.follow,
    });
  }
}
