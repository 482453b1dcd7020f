import type { FailureKind, McpFailure } from '../../mcp/failures.ts';

/** Milliseconds a diagnosis may take, even if a longer `timeout` is saved for calls, since the caller waits for it. */
export const diagnosisTimeout = 10_000;

/** Advice by failure kind. Kinds not listed have a message that contains it. */
const next: Partial<Record<FailureKind, string>> = {
  address: 'Save a URL that this service may reach, or ask the operator to allow its network.',
  dns: 'Check the spelling of the host name in the URL.',
  refused: 'Check that the server is running and that the port in the URL is the one it listens on.',
  reset:
    'Check the log of the server: it closed the connection without a response. If the port uses TLS, use https:// in the URL.',
  tls: 'Check the certificate of the server and its TLS versions.',
  network: 'Check that this machine can reach the server and that no firewall blocks it.',
  closed: 'Check the log of the server: it exited without a response.',
  command: 'Check the command. It runs without a shell, so use its full path.',
  session: 'Try again. A new session is opened.',
  'rate-limited': 'Try again later.',
  'not-mcp': 'Check the URL. The path of an MCP server is often /mcp.',
  'too-large': 'Make the server return less: paginate its lists, and return links instead of contents.',
  timeout: 'Check that the server is not stuck, or increase its `timeout`.',
  unauthorized: 'Save the credentials in `headers`, or complete OAuth and import the tokens.',
  scope: 'Authorize again with the scopes the server names, and import the new tokens.',
  forbidden:
    'If the server needs credentials, save them in `headers` or import tokens. If it has some, check that they grant access.',
  version: 'Update the server, or set `mcpProtocolVersion` to a revision it supports.',
  rpc: 'Check the log of the server.',
};

/** Advice by error code, where the kind is too general. The first match wins. */
const nextByCode: [RegExp, string][] = [
  [
    /SELF_SIGNED|UNABLE_TO|DEPTH_ZERO/,
    'The certificate of the server is not signed by a trusted authority. Start the service with NODE_EXTRA_CA_CERTS set to the certificate of the authority.',
  ],
  [/^CERT_HAS_EXPIRED$/, 'The certificate of the server has expired. Renew it.'],
  [
    /ALTNAME|HOSTNAME/,
    'The certificate of the server is for another host name. Correct the URL or the certificate.',
  ],
  [/^EPROTO$|WRONG_VERSION|ERR_SSL/, 'The server may use plain HTTP. Try http:// instead of https://.'],
  [/^HPE_/, 'Check the port in the URL.'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'Make the server send fewer or shorter headers. The limit is 32 KiB.'],
  [
    /^CONTENT_ENCODING$/,
    'Make the server, or the proxy in front of it, compress only as `Accept-Encoding` allows.',
  ],
  [
    /^JSON_BOUNDS$/,
    'Make the server return less at once: paginate the lists, or return links to large data.',
  ],
  [/^PAGES$/, 'Correct the server: the last page of a list must not have `nextCursor`.'],
];

/** The failure with advice for a person. */
export function adviceFor({ kind, facts, message }: McpFailure): string {
  const said = /[.!?]$/.test(message) ? message : `${message}.`;
  if (facts.retryAfter !== undefined) return `${said} Try again in ${facts.retryAfter} s.`;
  if (kind === 'status' && (facts.status ?? 0) >= 500) return `${said} Check the log of the server.`;
  const more = afterWaiting(facts.waited) ?? adviceByCode(facts.code ?? '') ?? next[kind];
  const whole = more === undefined ? said : `${said} ${more}`;
  return kind === 'rpc' ? `The server returned an error: ${whole}` : whole;
}

function adviceByCode(code: string): string | undefined {
  return nextByCode.find(([pattern]) => pattern.test(code))?.[1];
}

function afterWaiting(waited = 0): string | undefined {
  if (waited < diagnosisTimeout) return undefined;
  return `Check that the server is not stuck: a diagnosis waits at most ${diagnosisTimeout / 1000} s.`;
}
