import type { FailureKind, McpFailure } from '../../mcp/failures.ts';

/** Milliseconds a diagnosis may take, even if a longer `timeout` is saved for calls, since the caller waits for it. */
export const diagnosisTimeout = 10_000;

/** Advice by failure kind. Kinds not listed have a message that contains it. */
const next: Partial<Record<FailureKind, string>> = {
  address: 'Save an address this service may reach, or ask its operator to allow the network.',
  dns: 'Check the spelling of the host name in the URL.',
  refused: 'Check that the server is running and that the port in the URL is the one it listens on.',
  reset:
    'Look at the log of the server: it ended the connection before it had answered. If the port speaks TLS, write https:// in the URL.',
  tls: 'Check the certificate of the server and the TLS versions it speaks.',
  network: 'Check that this machine can reach the server, and that no firewall is in between.',
  closed: 'Look at the log of the server: it ended before it had answered.',
  command: 'Check the command; it is run as it is, without a shell, so give its full path.',
  session: 'Try again; a new session is opened.',
  'rate-limited': 'Wait, then try again.',
  'not-mcp': 'Check the URL: the path of an MCP server is often /mcp.',
  'too-large': 'Make the server answer with less: page its lists, and return links instead of contents.',
  timeout: 'Check that the server is not stuck, or save a larger `timeout` for it.',
  unauthorized: 'Save what it asks for in `headers`, or complete OAuth and import the tokens.',
  scope: 'Authorize again with the scopes it names, and import the new tokens.',
  forbidden:
    'If it needs credentials, save them in `headers` or import tokens; check that those it has may use it.',
  version: 'Update the server, or choose a revision it speaks with `mcpProtocolVersion`.',
  rpc: 'Look at the log of the server.',
};

/** Advice by error code, where the kind is too general. The first match wins. */
const nextByCode: [RegExp, string][] = [
  [
    /SELF_SIGNED|UNABLE_TO|DEPTH_ZERO/,
    'Its certificate is not signed by an authority this machine trusts. Start the service with NODE_EXTRA_CA_CERTS naming the authority.',
  ],
  [/^CERT_HAS_EXPIRED$/, 'Its certificate has expired; renew it.'],
  [/ALTNAME|HOSTNAME/, 'Its certificate is for another host name; correct the URL or the certificate.'],
  [/^EPROTO$|WRONG_VERSION|ERR_SSL/, 'It may speak plain HTTP; try http:// instead of https://.'],
  [/^HPE_/, 'Check the port in the URL.'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'Make it send fewer or shorter headers; 32 KiB are accepted.'],
  [/^CONTENT_ENCODING$/, 'Make it, or the proxy before it, compress only where `Accept-Encoding` allows it.'],
  [/^JSON_BOUNDS$/, 'Make it answer with less at once: page the lists, or return links to large data.'],
  [/^PAGES$/, 'Correct the server: the last page of a list comes without `nextCursor`.'],
];

/** The failure with advice for a person. */
export function adviceFor({ kind, facts, message }: McpFailure): string {
  const said = /[.!?]$/.test(message) ? message : `${message}.`;
  if (facts.retryAfter !== undefined) return `${said} Try again in ${facts.retryAfter} s.`;
  if (kind === 'status' && (facts.status ?? 0) >= 500) return `${said} Look at the log of the server.`;
  const more = afterWaiting(facts.waited) ?? adviceByCode(facts.code ?? '') ?? next[kind];
  const whole = more === undefined ? said : `${said} ${more}`;
  return kind === 'rpc' ? `The server answered with an error: ${whole}` : whole;
}

function adviceByCode(code: string): string | undefined {
  return nextByCode.find(([pattern]) => pattern.test(code))?.[1];
}

function afterWaiting(waited = 0): string | undefined {
  if (waited < diagnosisTimeout) return undefined;
  return `Check that the server is not stuck: a diagnosis waits no longer than ${diagnosisTimeout / 1000} s.`;
}
