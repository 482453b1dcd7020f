import { McpFailure } from '../../mcp/failures.ts';
import type { Attempt, WholeDelivery } from '../../platform/database/queries/webhook-deliveries.ts';
import { redact } from '../../platform/log.ts';
import { timeLimit } from '../../platform/time-limit.ts';
import { version } from '../../platform/version.ts';
import type { Services } from '../context.ts';
import { type Place, signedHeaders } from './signature.ts';

/** Milliseconds that a receiver has for its answer. */
const patience = 10_000;

/** The same text each time, so that a receiver that keeps what it was sent can compare. */
export function bodyOf({ type, createdAt, projectId, data }: WholeDelivery): string {
  return JSON.stringify({ type, timestamp: new Date(createdAt).toISOString(), projectId, data });
}

/** One attempt. Whatever the receiver does, this answers with how it went. */
export async function send(
  { mcp, clock }: Pick<Services, 'mcp' | 'clock'>,
  place: Place,
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
        signal: AbortSignal.any([signal, timeLimit(patience)]),
      },
      { statusOnly: true },
    );
    return ended(response.status, response.ok ? null : problemOf(response.status));
  } catch (error) {
    // The process is stopping: this was no attempt.
    if (signal.aborted) throw error;
    if (error instanceof McpFailure) return ended(null, wordsOf(error));
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return ended(null, `No answer within ${patience / 1000} seconds`);
    // Whatever else it was, it was an attempt: one that is not noted would be made again at once, for ever.
    const { code, name } = error as { code?: unknown; name?: unknown };
    return ended(null, `The request could not be made (${typeof code === 'string' ? code : String(name)})`);
  }
}

function problemOf(status: number): string {
  if (status >= 300 && status < 400)
    return `Answered with ${status}. Redirects are not followed: change the URL`;
  return `Answered with ${status}`;
}

/** Failures are worded for MCP servers, which this is none of. */
function wordsOf({ message }: McpFailure): string {
  const reason = message.replace(/^Could not reach the MCP server: /, '');
  return redact(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}`).slice(0, 500);
}
