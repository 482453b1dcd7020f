import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import { accessChannel } from '../../platform/database/queries/studies.ts';
import * as visitors from '../../platform/database/queries/study-visitors.ts';
import type { Actor, Grant, GrantContext, ProjectContext } from '../context.ts';
import { hashToken } from '../identity/token.ts';

/** Looked for this often besides: that somebody left the organization is not announced. */
const look = 15_000;

/** What a token opens now. */
export function findGrant(db: Db, token: string): Promise<Grant | undefined> {
  return readGrant(db, hashToken(token));
}

/** The same grant as it is by now. */
export function grantNow(db: Db, { tokenHash }: Grant): Promise<Grant | undefined> {
  return readGrant(db, tokenHash);
}

async function readGrant(db: Db, tokenHash: Buffer): Promise<Grant | undefined> {
  const row = await db.row(visitors.openGrant, { tokenHash });
  if (!row) return undefined;
  const part = (name: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(row).flatMap(([field, value]) =>
        field.startsWith(`${name}.`) ? [[field.slice(name.length + 1), value]] : [],
      ),
    );
  return {
    visitor: part('visitor') as unknown as Grant['visitor'],
    study: part('study') as unknown as Grant['study'],
    project: part('project') as unknown as Grant['project'],
    tokenHash,
  };
}

/** Whoever is refused is told no more than this: whether the study is there is not theirs to know. */
export function accessEnded(): Refusal {
  return new Refusal('UNAUTHORIZED', endedWords, { details: { reason: 'ACCESS_ENDED' } });
}

export const endedWords = 'You no longer have access here. Ask whoever sent you the link';

/** Aborts when the grant no longer opens anything, wherever that was decided; `stop` to no longer look. */
export function untilEnded({ db, notifications, grant }: GrantContext): {
  signal: AbortSignal;
  stop: () => void;
} {
  const over = new AbortController();
  let wanted = false;
  let looking = false;
  const check = async (): Promise<void> => {
    wanted = true;
    if (looking) return;
    looking = true;
    // What is announced during a look may be later than what it saw.
    while (wanted && !over.signal.aborted) {
      wanted = false;
      const ended = await readGrant(db, grant.tokenHash).then(
        (found) => found === undefined,
        () => false,
      );
      if (ended) over.abort();
    }
    looking = false;
  };
  const stopListening = notifications.on(accessChannel, (id) => {
    if (id === undefined || id === grant.study.id) void check();
  });
  const timer = setInterval(() => void check(), look).unref();
  return {
    signal: over.signal,
    stop: () => {
      clearInterval(timer);
      stopListening();
    },
  };
}

/**
 * The project of the study, for whatever a visitor may have done there. It acts for nobody who has an account: nothing that
 * is personal to somebody reaches a visitor.
 */
export function inProject(context: GrantContext): ProjectContext {
  const { visitor, study, project } = context.grant;
  const { createdAt, lastSeenAt } = visitor;
  const user: Actor['user'] = {
    id: visitor.id,
    email: '',
    name: visitor.displayName ?? 'Visitor',
    imageUrl: null,
    createdAt,
    updatedAt: lastSeenAt,
  };
  const organization = { id: study.organizationId, plan: study.plan };
  return Object.assign({}, context, {
    actor: { keyId: undefined, user, organization, role: 'member' as const },
    project,
  });
}
