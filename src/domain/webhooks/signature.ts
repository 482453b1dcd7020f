import { createHmac, randomBytes } from 'node:crypto';

/** URL and signing secrets of a webhook; stored sealed. */
export interface WebhookEndpoint {
  url: string;
  /** Newest first. `until` is set on a replaced secret. */
  secrets: { secret: string; until?: number }[];
}

const prefix = 'whsec_';

export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** Headers of the Standard Webhooks specification, with one signature per active secret. */
export function signedHeaders(
  { secrets }: WebhookEndpoint,
  { id, body, now }: { id: string; body: string; now: number },
): Record<string, string> {
  const timestamp = Math.floor(now / 1000);
  const signatures = secrets
    .filter(({ until }) => until === undefined || until > now)
    .map(({ secret }) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    });
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
