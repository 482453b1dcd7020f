import { createHash } from 'node:crypto';
import type { Services } from '../context/context.ts';
import { type DeliveredSecret, deliverSecrets } from '../secrets/deliver.ts';
import type { PlaceSnapshot } from './place.ts';

export interface PlaceSecrets {
  secrets: DeliveredSecret[];
  /** Equal if the same secrets are sent in the same way, so that connections can be shared. Reveals no value. */
  secretsKey: string;
  /** Some granted secrets were deleted, or are not accessible to this user. */
  secretsIncomplete: boolean;
}

/** The secrets that the environment of a place grants to a user. */
export async function secretsOfPlace(
  services: Pick<Services, 'db' | 'vault'>,
  { projectId, userId }: { projectId: string; userId: string },
  { secretIds, connection, environment }: Pick<PlaceSnapshot, 'secretIds' | 'connection' | 'environment'>,
): Promise<PlaceSecrets> {
  const { secrets, incomplete } = await deliverSecrets(services, { projectId, userId, secretIds });
  const named = services.vault.fingerprint(JSON.stringify([userId, secrets]));
  const secretsKey = createHash('sha256')
    .update(JSON.stringify([named, connection, environment]))
    .digest('hex');
  return { secrets, secretsKey, secretsIncomplete: incomplete };
}
