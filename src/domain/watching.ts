import * as sessions from '../platform/database/queries/console-sessions.ts';
import * as keys from '../platform/database/queries/keys.ts';
import type { OrganizationRole } from '../platform/database/queries/members.ts';
import { projectOf } from './access.ts';
import type { Context, ProjectContext } from './context.ts';

/** What nobody announces, and announcements that were missed, are looked for this often. */
const look = 5_000;
/** Milliseconds; announcements may come twenty times a second. */
const checkAgain = 1_000;

/**
 * Turns of somebody who watches one thing: one at once, and one after each announcement about it in the database. They
 * end when the reader hangs up, or may no longer read.
 */
export async function* turnsOf(
  context: Context | ProjectContext,
  channel: string,
  id: string,
): AsyncGenerator<void> {
  let checkedAt = -Infinity;
  let wake = (): void => {};
  const gone = context.callerGone();
  gone.addEventListener('abort', () => wake(), { once: true });
  const stop = context.notifications.on(channel, (which) => {
    if (which === undefined || which === id) wake();
  });
  try {
    while (!gone.aborted) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      const check = performance.now() - checkedAt >= checkAgain;
      if (check && (await lockedOut(context))) return;
      if (check) checkedAt = performance.now();
      yield;
      const timer = setTimeout(wake, look);
      await changed;
      clearTimeout(timer);
    }
  } finally {
    stop();
  }
}

/** A stream outlives the request that was let in; whoever comes again is told why it ended. */
async function lockedOut(context: Context | ProjectContext): Promise<boolean> {
  const role = await roleNow(context);
  if (role === undefined) return true;
  if (!('project' in context)) return false;
  return projectOf({ ...context, actor: { ...context.actor, role } }, context.project.id).then(
    () => false,
    () => true,
  );
}

/** What the reader is to the organization by now; undefined when the key or the session opens nothing any more. */
async function roleNow({ db, actor }: Context): Promise<OrganizationRole | undefined> {
  const { keyId, sessionId, organization, role } = actor;
  if (keyId !== undefined) return (await db.row(keys.working, { id: keyId }))?.role;
  if (sessionId === undefined) return role;
  return (await db.row(sessions.working, { id: sessionId, organizationId: organization.id }))?.role;
}
