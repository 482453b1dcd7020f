import { Refusal } from '../contract/errors.ts';
import type { Access, Operation } from '../contract/operation.ts';
import { vanishedReference } from '../platform/database/database.ts';
import {
  claimIdempotencyKey,
  findIdempotencyKey,
  type IdempotencyScope,
  recordAnswer,
} from '../platform/database/queries/idempotency.ts';
import { admit, admitOwner, noSuchProject } from './access.ts';
import type { Actor, Context, ProjectContext, PublicContext } from './context.ts';
import { type AnyVerb, verbs } from './verbs.ts';

export interface Call {
  operation: Operation;
  input: Record<string, unknown>;
  idempotencyKey?: string | undefined;
}

/**
 * The one way into a verb, whatever the surface: the access the contract declares is checked here, so
 * no verb can forget it.
 */
export async function invoke(context: PublicContext, actor: Actor | undefined, call: Call): Promise<unknown> {
  const verb = (verbs as unknown as Record<string, AnyVerb>)[call.operation.id] as AnyVerb;
  if (call.operation.access === 'public') return verb(context, call.input);
  if (!actor) throw new Error(`${call.operation.id} was called without an actor`);
  const known: Context = { ...context, actor };
  const allowed = settledInside.includes(call.operation.access) ? known : await enter(known, call);
  try {
    if (call.operation.idempotency && call.idempotencyKey !== undefined)
      return await onlyOnce(allowed, call, call.idempotencyKey, verb);
    return await verb(allowed, call.input);
  } catch (error) {
    throw overtaken(error) ?? error;
  }
}

async function enter(known: Context, { operation, input }: Call): Promise<ProjectContext> {
  const entered = { ...known, project: admit(known, operation) };
  if (operation.access === 'own or project admin') await admitOwner(entered, operation, input);
  return entered;
}

/** No project is in the path; what these look up decides who may see it. */
const settledInside: readonly Access[] = ['key', 'requester', 'project viewer'];

/** What the actor had when the request began was deleted before it could write: it is as if it never was. */
function overtaken(error: unknown): Refusal | undefined {
  const gone = vanishedReference(error);
  if (gone === undefined) return undefined;
  return gone === 'project' ? noSuchProject() : new Refusal('UNAUTHORIZED', 'Invalid API key');
}

/** The key is claimed, the verb runs and its answer is kept in one transaction: all of it happens, or none. */
async function onlyOnce(context: Context, call: Call, key: string, verb: AnyVerb): Promise<unknown> {
  const scope: IdempotencyScope = {
    organizationId: context.actor.organization.id,
    userId: context.actor.user.id,
    operation: call.operation.id,
    key,
  };
  // Of the whole input, secrets included; what is stored must not help to guess them.
  const requestHash = context.vault.fingerprint(JSON.stringify(call.input));
  return context.db.transaction(async (db) => {
    if (await claimIdempotencyKey(db, scope, requestHash)) {
      const answer = await verb({ ...context, db }, call.input);
      await recordAnswer(db, scope, answer);
      return answer;
    }
    const earlier = await findIdempotencyKey(db, scope);
    if (earlier?.requestHash !== requestHash)
      throw new Refusal('CONFLICT', 'This Idempotency-Key was used with another request. Use a new key', {
        details: { reason: 'IDEMPOTENCY_KEY_REUSED' },
      });
    return earlier.response;
  });
}
