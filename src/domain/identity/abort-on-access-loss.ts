import type { Route } from '../../contract/operation.ts';
import type { GrantContext, ProjectContext, PublicContext } from '../context/context.ts';
import type { Holder, Watched } from '../parts/access-watch.ts';

type AnyContext = PublicContext & Partial<ProjectContext> & Partial<GrantContext>;

/**
 * Extends `callerGone` to abort also when the caller loses access. The watch starts on first use, so verbs that never
 * call it pay nothing.
 */
export function abortOnAccessLoss(context: AnyContext, operation: Route): Pick<Watched, 'refusal' | 'stop'> {
  const { callerGone: hangUp, accessWatch } = context;
  let watched: Watched | undefined;
  let over = false;
  context.callerGone = () => {
    const holder = watched || over ? undefined : holderOf(context, operation);
    if (holder) watched = accessWatch.watch(holder, hangUp());
    return watched?.signal ?? hangUp();
  };
  return {
    refusal: () => watched?.refusal(),
    stop: () => {
      over = true;
      watched?.stop();
    },
  };
}

/** Undefined for anonymous callers. Uses the project from the path or the one the verb has looked up. */
function holderOf({ actor, project, grant }: AnyContext, { access }: Route): Holder | undefined {
  if (grant)
    return {
      tokenHash: grant.tokenHash,
      studyId: grant.study.id,
      projectId: grant.project.id,
      userId: grant.visitor.userId,
    };
  return (
    actor && {
      organizationId: actor.organization.id,
      userId: actor.user.id,
      projectId: project?.id,
      keyId: actor.keyId,
      sessionId: actor.sessionId,
      admin: access.endsWith(' admin'),
    }
  );
}

/** Calls `over` after the last event, or when the reader stops. */
export async function* withCleanup<T>(events: AsyncIterable<T>, over: () => void): AsyncGenerator<T> {
  try {
    yield* events;
  } finally {
    over();
  }
}
