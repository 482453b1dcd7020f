import { createHmac, randomBytes } from 'node:crypto';

/** Where deliveries go and what they are signed with; kept sealed. */
export interface Place {
  url: string;
  /** The newest first. One that was replaced says until when it is used. */
  secrets: { secret: string; until?: number }[];
}

const prefix = 'whsec_';

export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** Headers as the Standard Webhooks say: one signature for each secret that is in use. */
export function signedHeaders(
  { secrets }: Place,
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
