import {
  createHash,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomInt,
  randomUUID,
} from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { asTarget, listen, sendJson, type Target } from './listen.ts';

/** The claims of the provider about a person. */
export type SaidClaims = { sub: string; email?: string; email_verified?: boolean; name?: string };

export interface Lie {
  /** Overrides claims of the token. */
  claims?: Record<string, unknown>;
  /** Signs the token instead of the published key. */
  key?: KeyObject;
  algorithm?: 'none';
}

export interface OpenIdProvider extends Target {
  issuer: string;
  /** The form of every token request. */
  tokenRequests: Record<string, string>[];
  /** Returns the callback address for a person who opened `url` and agreed. */
  agree(url: string, person: SaidClaims, lie?: Lie): Promise<string>;
}

export const client = { id: 'drydock-client', secret: 'the-secret-of-drydock' };

interface Code {
  asked: URLSearchParams;
  person: SaidClaims;
  lie: Lie;
}

/** One key per process, because generating a key takes long. */
const ours = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** An OpenID Connect provider on loopback: discovery, keys, codes that work once and only with their verifier. */
export async function startOpenIdProvider({
  port = 0,
  emailInToken = true,
  atTheDoor,
}: {
  port?: number;
  /** The person who agrees at once when a browser comes. */
  atTheDoor?: SaidClaims;
  /** Otherwise only the userinfo endpoint returns the address. */
  emailInToken?: boolean;
} = {}): Promise<OpenIdProvider> {
  const codes = new Map<string, Code>();
  const people = new Map<string, SaidClaims>();
  const tokenRequests: Record<string, string>[] = [];
  let issuer = '';

  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void> | void> =
    {
      '/.well-known/openid-configuration': (_, response) =>
        sendJson(response, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
        }),
      '/authorize': (request, response) => {
        if (!atTheDoor) return sendJson(response, { error: 'not_found' }, 404);
        response.writeHead(302, { location: agree(`${issuer}${request.url}`, atTheDoor) }).end();
      },
      '/keys': (_, response) =>
        sendJson(response, {
          keys: [{ ...ours.publicKey.export({ format: 'jwk' }), kid: 'ours', use: 'sig', alg: 'RS256' }],
        }),
      '/token': async (request, response) => {
        const form = Object.fromEntries(new URLSearchParams(await text(request)));
        tokenRequests.push(form);
        const code = codes.get(form['code'] ?? '');
        codes.delete(form['code'] ?? '');
        if (!code || !isFor(code, form)) return sendJson(response, { error: 'invalid_grant' }, 400);
        const access = randomUUID();
        people.set(access, code.person);
        sendJson(response, { access_token: access, token_type: 'Bearer', id_token: tokenOf(code) });
      },
      '/userinfo': (request, response) => {
        const person = people.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
        sendJson(response, person ?? { error: 'invalid_token' }, person ? 200 : 401);
      },
    };

  function agree(url: string, person: SaidClaims, lie: Lie = {}): string {
    const asked = new URL(url).searchParams;
    if (asked.get('client_id') !== client.id || asked.get('response_type') !== 'code')
      throw new Error(`Not a request of ours: ${url}`);
    if (asked.get('code_challenge_method') !== 'S256') throw new Error('No proof of possession');
    // A code of digits, which must not be parsed as a number.
    const code = `${randomInt(1e12, 9e12)}${randomInt(1e12, 9e12)}`;
    codes.set(code, { asked, person, lie });
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
    return back.href;
  }

  function tokenOf({ asked, person, lie }: Code): string {
    const { sub, ...more } = person;
    const now = Math.floor(Date.now() / 1000);
    const about = { iss: issuer, aud: client.id, iat: now, exp: now + 300, nonce: asked.get('nonce') };
    const claims = { ...about, sub, ...(emailInToken && more), ...lie.claims };
    return signed(claims, lie);
  }

  const server = createServer();
  const listening = await listen(
    async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', issuer);
      const route = routes[pathname];
      if (route) await route(request, response);
      else sendJson(response, { error: 'not_found' }, 404);
    },
    server,
    port,
  );
  issuer = `http://127.0.0.1:${listening.port}`;

  const said = {
    issuer,
    tokenRequests,
    agree: async (...given: Parameters<typeof agree>) => agree(...given),
  };
  return asTarget(said, listening.stop);
}

/** Whether a token request has the client, the redirect and the verifier of the code. */
function isFor({ asked }: Code, form: Record<string, string>): boolean {
  const challenge = createHash('sha256')
    .update(form['code_verifier'] ?? '')
    .digest('base64url');
  return (
    form['grant_type'] === 'authorization_code' &&
    form['client_id'] === client.id &&
    form['client_secret'] === client.secret &&
    form['redirect_uri'] === asked.get('redirect_uri') &&
    challenge === asked.get('code_challenge')
  );
}

function signed(claims: object, { key = ours.privateKey, algorithm }: Lie): string {
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const content = `${encoded({ alg: algorithm ?? 'RS256', kid: 'ours' })}.${encoded(claims)}`;
  if (algorithm === 'none') return `${content}.`;
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`;
}

/** A key that the provider does not publish. */
export function anotherKey(): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}
