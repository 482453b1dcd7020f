import { Refusal } from '../../contract/errors.ts';
import { McpFailure } from '../../mcp/failures.ts';
import type { TunnelFailure } from '../../tunnels/relay-connection.ts';

const again = 'Run drydock tunnel on the machine of the server';

/** Converts a tunnel failure to the error returned at the tunnel URL. */
export function tunnelRefusal({ code, message }: TunnelFailure): Refusal {
  switch (code) {
    case 'offline':
    case 'stale':
      return new Refusal('SERVER_UNREACHABLE', `${message}. ${again}`, {
        details: { reason: 'TUNNEL_OFFLINE' },
      });
    case 'busy':
      return new Refusal('RATE_LIMITED', message, { details: { reason: 'TUNNEL_BUSY' }, retryAfter: 1 });
    case 'timeout':
      return new Refusal('TIMEOUT', message);
    case 'too_large':
      return new Refusal('VALIDATION_ERROR', message);
    default:
      return new Refusal('SERVER_UNREACHABLE', message, { details: { reason: 'TUNNEL_BROKE_OFF' } });
  }
}

/** Connection failure for Drydock's own calls of a tunneled server. */
export function failureOfTunnel({ code, message, notSent }: TunnelFailure): McpFailure {
  const facts = notSent ? { notSent } : {};
  if (code === 'busy') return new McpFailure('rate-limited', message, { ...facts, retryAfter: 1 });
  if (code === 'timeout') return new McpFailure('timeout', message, facts);
  if (code === 'too_large') return new McpFailure('too-large', message, facts);
  if (code === 'offline' || code === 'stale') return new McpFailure('refused', `${message}. ${again}`, facts);
  return new McpFailure('closed', message, facts);
}
