import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Db } from '../../platform/database/database.ts';
import * as members from '../../platform/database/queries/members.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import type { Credential } from './authenticate.ts';

const prefix = 'local_';
const beginning = `Bearer ${prefix}`;

/**
 * Authenticates commands on this machine while the service runs. Stored in the data directory next to the master key.
 * Acts as an owner, which grants nothing new: anyone who can read this file can also open the database.
 */
export class LocalToken {
  readonly value: string;
  private readonly hash: Buffer;

  constructor(value = `${prefix}${randomBytes(32).toString('base64url')}`) {
    this.value = value;
    this.hash = hashOf(`Bearer ${value}`);
  }

  /** The account the token acts as: an owner of the organization of the project, by default of the default project. */
  async accountFor(
    db: Db,
    credential: Credential,
    projectId: string | undefined,
  ): Promise<Credential | undefined> {
    if (credential.kind !== 'bearer' || !this.matches(credential.authorization)) return undefined;
    const [project] = projectId === undefined ? [] : await db.rows(projects.named, { idOrName: projectId });
    const [usual] = project ? [project] : await db.rows(projects.defaults);
    if (!usual) return undefined;
    const { organizationId } = usual;
    const owner = (await db.rows(members.list, { organizationId })).find(({ role }) => role === 'owner');
    return owner && { kind: 'account', organizationId, userId: owner.userId };
  }

  private matches(authorization: string | undefined): boolean {
    return (
      authorization !== undefined &&
      // Other credentials need no hash.
      authorization.startsWith(beginning) &&
      timingSafeEqual(hashOf(authorization), this.hash)
    );
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
