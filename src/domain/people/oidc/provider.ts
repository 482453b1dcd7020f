import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
}

/** Values checked when the browser comes back from the provider. */
export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
}

/** Claims of the ID token. */
export interface Claims {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  name: string | undefined;
}

export interface Provider {
  begin(callback: string): Promise<{ url: string; attempt: Attempt }>;
  /** `back` is the URL the provider redirected the browser to. */
  finish(back: string, attempt: Attempt): Promise<Claims>;
}

/** Milliseconds to cache the provider's metadata. */
const cacheTime = 600_000;
/** Timeout of requests to the provider, in seconds. */
const requestTimeout = 10;
/** Bytes; metadata, keys and claims are small. */
const maxAnswerLength = 1_048_576;

let known: { of: string; at: number; configuration: Configuration } | undefined;

/** Discovery runs at sign-in rather than at start, so that a provider outage needs no restart. */
export function openProvider(settings: ProviderSettings): Provider {
  return {
    begin: async (redirectUri) => {
      const configuration = await configurationOf(settings);
      const attempt = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, attempt };
    },
    finish: async (back, { state, nonce, verifier }) => {
      const configuration = await configurationOf(settings);
      const tokens = await authorizationCodeGrant(configuration, new URL(back), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('no claims');
      const { userinfo_endpoint: more } = configuration.serverMetadata();
      // Some providers return the address only from the userinfo endpoint.
      const told =
        claims['email'] === undefined && more !== undefined
          ? { ...claims, ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)) }
          : claims;
      return claimsOf(claims.iss, told);
    },
  };
}

async function configurationOf({ issuer, clientId, clientSecret }: ProviderSettings): Promise<Configuration> {
  const of = JSON.stringify([issuer, clientId, clientSecret]);
  if (known?.of === of && performance.now() - known.at < cacheTime) return known.configuration;
  const server = new URL(issuer);
  const insecure = server.protocol === 'http:' && /^(localhost|127\..*|\[::1\])$/.test(server.hostname);
  const configuration = await discovery(server, clientId, clientSecret, undefined, {
    timeout: requestTimeout,
    [customFetch]: boundedFetch,
    // By default the library relies on TLS instead of verifying the ID token's signature. Plain HTTP is accepted on
    // loopback only.
    execute: [enableNonRepudiationChecks, ...(insecure ? [allowInsecureRequests] : [])],
  });
  known = { of, at: performance.now(), configuration };
  return configuration;
}

const boundedFetch: CustomFetch = async (url, { body, ...options }) => {
  const response = await fetch(url, { ...options, body: body ?? null });
  let size = 0;
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxAnswerLength) throw new TypeError('the response of the provider is too large');
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, statusText, headers });
};

function claimsOf(issuer: string, told: { sub: string; [claim: string]: unknown }): Claims {
  const { sub: subject, email, email_verified: verified, name } = told;
  const isText = (claim: unknown): claim is string => typeof claim === 'string' && claim.trim() !== '';
  return {
    issuer,
    subject,
    email: isText(email) ? email.trim() : undefined,
    emailVerified: verified === true || verified === 'true',
    name: isText(name)
      ? name
          .replaceAll(/\p{Cc}/gu, ' ')
          .trim()
          .slice(0, 200)
      : undefined,
  };
}
