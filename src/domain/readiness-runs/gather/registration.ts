import type { Evidence } from '../../../readiness/evidence.ts';
import type { InspectedServer } from './inspected-server.ts';

/** OAuth callback URLs of the directories. */
const callbacks = {
  claude: 'https://claude.ai/api/mcp/auth_callback',
  openai: 'https://chatgpt.com/connector_platform_oauth_redirect',
};
const maxBytes = 64 * 1024;

/** Registers a client, and deletes it again if the authorization server supports that. */
export async function registerClient(
  { outbound, kind, secrets }: InspectedServer,
  endpoint: string,
  signal: AbortSignal,
): Promise<Extract<Evidence['registration'], { known: true }>['value']> {
  const body = JSON.stringify({
    client_name: 'Drydock readiness check',
    redirect_uris: [callbacks[kind]],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const reading = { document: true, bytes: maxBytes };
  const response = await outbound.fetch(endpoint, { method: 'POST', headers, body, signal }, reading);
  const answer = (await response.json().catch(() => undefined)) as Record<string, unknown> | undefined | null;
  const { client_id: id, client_secret: secret, registration_client_uri: uri } = answer ?? {};
  const token = answer?.['registration_access_token'];
  for (const one of [secret, token]) if (typeof one === 'string' && one.length >= 6) secrets.push(one);
  const own =
    typeof uri === 'string' && URL.canParse(uri) && new URL(uri).origin === new URL(endpoint).origin;
  if (own && typeof token === 'string')
    await outbound
      .fetch(uri, { method: 'DELETE', headers: { authorization: `Bearer ${token}` }, signal }, reading)
      .catch(() => {});
  return { status: response.status, registered: response.ok && typeof id === 'string' };
}
