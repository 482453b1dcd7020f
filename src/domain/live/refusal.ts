import { type ErrorCode, Refusal } from '../../contract/errors.ts';
import { type FailureFacts, type FailureKind, McpFailure } from '../../mcp/failures.ts';
import type { LiveServerRow } from '../../platform/database/queries/servers.ts';
import { hasAuthorizationHeader } from '../servers/auth-method.ts';

const codeOfKind: Record<Exclude<FailureKind, 'rpc' | 'unauthorized'>, ErrorCode> = {
  address: 'VALIDATION_ERROR',
  dns: 'SERVER_UNREACHABLE',
  refused: 'SERVER_UNREACHABLE',
  reset: 'SERVER_UNREACHABLE',
  tls: 'SERVER_UNREACHABLE',
  network: 'SERVER_UNREACHABLE',
  closed: 'SERVER_UNREACHABLE',
  command: 'SERVER_UNREACHABLE',
  status: 'SERVER_UNREACHABLE',
  session: 'SERVER_UNREACHABLE',
  redirect: 'SERVER_UNREACHABLE',
  'not-mcp': 'SERVER_UNREACHABLE',
  'too-large': 'SERVER_UNREACHABLE',
  version: 'SERVER_UNREACHABLE',
  unknown: 'SERVER_UNREACHABLE',
  cancelled: 'TIMEOUT',
  timeout: 'TIMEOUT',
  'rate-limited': 'RATE_LIMITED',
  busy: 'RATE_LIMITED',
  scope: 'FORBIDDEN',
  forbidden: 'FORBIDDEN',
};

/** Converts a failure of the server to a refusal; other errors are returned unchanged. */
export function translated(error: unknown, server: LiveServerRow): unknown {
  return error instanceof McpFailure ? refusalOf(error, server) : error;
}

/** Converts a connection failure to the caller's error. */
export function refusalOf(failure: McpFailure, server: LiveServerRow): Refusal {
  const { kind, facts, message } = failure;
  if (kind === 'unauthorized') return unauthorized(failure, server);
  if (kind === 'rpc') return ofRpcError(facts.rpc as NonNullable<FailureFacts['rpc']>);
  return new Refusal(codeOfKind[kind], message, {
    details: {
      cause: kind,
      ...(kind === 'address' && { code: 'URL_NOT_ALLOWED' }),
      ...(kind === 'scope' && { insufficientScope: true, ...challengeDetails(facts) }),
      ...(kind === 'forbidden' && { upstreamAuthRequired: true }),
      ...(kind === 'rate-limited' && { reason: 'TARGET_RATE_LIMITED' }),
      ...(kind === 'busy' && { reason: 'SERVICE_BUSY' }),
      ...(facts.status !== undefined && { upstreamStatus: facts.status }),
      ...(facts.location !== undefined && { location: facts.location }),
    },
    ...(facts.retryAfter !== undefined && { retryAfter: facts.retryAfter }),
  });
}

/** Asks for an OAuth grant, unless the server clearly expects something else. */
function unauthorized({ facts, message }: McpFailure, server: LiveServerRow): Refusal {
  const { challenge } = facts;
  const bearer = challenge === undefined || challenge.scheme.toLowerCase() === 'bearer';
  const ownHeader = hasAuthorizationHeader(server.settings) && challenge?.resourceMetadataUrl === undefined;
  // A grant known to be dead was not sent at all.
  const dead = facts.grantDead ?? (server.grantDead && server.grantUrl === server.url);
  if (bearer && !ownHeader) {
    const why = dead && !facts.grantDead ? undefined : message;
    return oauthRequired(server, { ...facts, grantDead: dead }, why);
  }
  const asks = bearer
    ? 'The server rejected the stored Authorization header'
    : `The server requires ${challenge.scheme} authorization`;
  return new Refusal('FORBIDDEN', `${asks}. Update the Authorization header of the server`, {
    details: { cause: 'unauthorized', upstreamAuthRequired: true, upstreamStatus: 401 },
  });
}

export function oauthRequired(server: LiveServerRow, facts: FailureFacts, why?: string): Refusal {
  const { id, name, url } = server;
  const known = facts.grantDead ? 'The refresh token no longer works' : 'The server requires an OAuth grant';
  return new Refusal(
    'OAUTH_REQUIRED',
    `${why ?? known}. Complete OAuth with the server ${JSON.stringify(name)}, then import the tokens`,
    {
      details: {
        oauthRequired: true,
        serverId: id,
        serverName: name,
        serverUrl: url,
        ...(facts.grantDead && { refreshTokenInvalid: true }),
        ...challengeDetails(facts),
      },
    },
  );
}

function challengeDetails({ challenge }: FailureFacts): Record<string, unknown> {
  return {
    ...(challenge?.resourceMetadataUrl !== undefined && {
      resourceMetadataUrl: challenge.resourceMetadataUrl,
    }),
    ...(challenge?.scopes && { scopes: challenge.scopes }),
  };
}

/** An error response: the caller's mistake if the code says so, otherwise the server's. */
function ofRpcError(rpc: NonNullable<FailureFacts['rpc']>): Refusal {
  const details = { mcpError: rpc };
  switch (rpc.code) {
    case -32601:
      return new Refusal('FEATURE_NOT_SUPPORTED', `The server does not support this: ${rpc.message}`, {
        details,
      });
    case -32021:
      return new Refusal(
        'FEATURE_NOT_SUPPORTED',
        `The server requires a client capability that was not declared: ${rpc.message}`,
        { details },
      );
    case -32602:
      return new Refusal('VALIDATION_ERROR', `The server rejected the request: ${rpc.message}`, { details });
    case -32002:
      return new Refusal('NOT_FOUND', `Not found on the server: ${rpc.message}`, { details });
    default:
      return new Refusal('SERVER_UNREACHABLE', `The server returned an error: ${rpc.message}`, {
        details,
      });
  }
}
