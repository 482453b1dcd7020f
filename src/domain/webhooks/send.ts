import { McpFailure } from '../../mcp/failures.ts';
import type { Attempt, WholeDelivery } from '../../platform/database/queries/webhook-deliveries.ts';
import { timeoutSignal } from '../../platform/flow/deadline.ts';
import { redact } from '../../platform/log.ts';
import { version } from '../../platform/version.ts';
import type { Services } from '../context/context.ts';
import { signedHeaders, type WebhookEndpoint } from './signature.ts';

/** Time limit of a request in milliseconds. */
const timeout = 10_000;

/** Deterministic, so that all attempts have the same body and signature input. */
export function bodyOf({ type, createdAt, projectId, data }: WholeDelivery): string {
  return JSON.stringify({ type, timestamp: new Date(createdAt).toISOString(), projectId, data });
}

/** Makes one attempt. Never throws for the receiver's behavior; returns the result. */
export async function send(
  { mcp, clock }: Pick<Services, 'mcp' | 'clock'>,
  place: WebhookEndpoint,
  delivery: WholeDelivery,
  signal: AbortSignal,
): Promise<Attempt> {
  const at = clock();
  const began = performance.now();
  const body = bodyOf(delivery);
  const ended = (status: number | null, error: string | null): Attempt => ({
    at,
    durationMs: Math.round(performance.now() - began),
    status,
    error,
  });
  try {
    const response = await mcp.outbound.fetch(
      place.url,
      {
        method: 'POST',
        headers: {
          ...signedHeaders(place, { id: delivery.eventId, body, now: at }),
          'user-agent': `drydock/${version}`,
        },
        body,
        signal: AbortSignal.any([signal, timeoutSignal(timeout)]),
      },
      { statusOnly: true },
    );
    return ended(response.status, response.ok ? null : problemOf(response.status));
  } catch (error) {
    // The process is stopping, so this does not count as an attempt.
    if (signal.aborted) throw error;
    if (error instanceof McpFailure) return ended(null, wordsOf(error));
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return ended(null, `No answer within ${timeout / 1000} seconds`);
    // Counts as an attempt; otherwise an unexpected error would be retried at once, forever.
    const { code, name } = error as { code?: unknown; name?: unknown };
    return ended(null, `The request could not be made (${typeof code === 'string' ? code : String(name)})`);
  }
}

function problemOf(status: number): string {
  if (status >= 300 && status < 400)
    return `Answered with ${status}. Redirects are not followed: change the URL`;
  return `Answered with ${status}`;
}

/** Rewords failures phrased for MCP servers. */
function wordsOf({ message }: McpFailure): string {
  const reason = message.replace(/^Could not reach the MCP server: /, '');
  return redact(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}`).slice(0, 500);
}
