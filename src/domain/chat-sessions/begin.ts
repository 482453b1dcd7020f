import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as sessions from '../../platform/database/queries/chat-sessions.ts';
import * as turns from '../../platform/database/queries/chat-turns.ts';
import { newId } from '../../platform/ids.ts';
import { asStorable } from '../../platform/json/storable.ts';
import { conflict, noChatSession } from '../base/refusals.ts';
import { audit } from '../context/audit.ts';
import type { Context, ProjectContext } from '../context/context.ts';
import { refuseSpent } from '../limits/spend-budget.ts';
import { firstConfig, refuseConfig, routeTo, type Sent, type SessionConfig } from './config.ts';

/** Milliseconds without a heartbeat after which a turn counts as dead. */
export const lease = 30_000;
const maxMessages = 2_000;

/** A new turn for this process to run. */
export interface Begun {
  kind: 'begun';
  session: sessions.SessionRow;
  config: SessionConfig;
  turn: turns.TurnRow;
}

/** A turn that has already completed; its stored answer is returned again. */
interface Replayed {
  kind: 'replayed';
  session: sessions.SessionRow;
  turn: turns.TurnRow;
}

/** On whose behalf turns run, and the checks before each. */
export interface TurnTerms {
  /** The kind of sessions to create and to continue. */
  origin: 'api' | 'study';
  /** ID of an anonymous visitor, in place of a user ID. */
  visitorId: string | null;
  /** Runs in the transaction that begins a turn; throws to refuse it. */
  admit?: (db: Db, session: sessions.SessionRow) => Promise<void>;
  /** Runs in the transaction that creates a session. */
  began?: (db: Db, session: sessions.SessionRow) => Promise<void>;
}

const ofApi: TurnTerms = { origin: 'api', visitorId: null };

/** Claims the turn with this idempotency key: one of several concurrent requests runs it. */
export function beginTurn(
  context: ProjectContext,
  sent: Sent,
  terms: TurnTerms = ofApi,
): Promise<Begun | Replayed> {
  const { db, actor, vault } = context;
  const requestHash = vault.fingerprint(JSON.stringify(sent));
  const owner = { organizationId: actor.organization.id, userId: actor.user.id };
  const { idempotencyKey } = sent;
  return db.transaction(async (trx) => {
    await trx.row(turns.lockIdempotencyKey, { ...owner, idempotencyKey });
    const earlier = await trx.row(turns.findByKey, { ...owner, idempotencyKey });
    if (earlier) return again(context, trx, earlier, requestHash, sent, terms);
    const session = await sessionFor(context, trx, sent, terms);
    await terms.admit?.(trx, session);
    await makeRoom(trx, session);
    await refuseUnpaid(context, trx, session);
    const turn = await trx.one(turns.insert, {
      ...owner,
      id: newId('turn', context.clock()),
      sessionId: session.id,
      idempotencyKey,
      requestHash,
      leaseToken: newId('lease'),
      lease,
    });
    await audit(trx, context, 'chat-turn.begin', turn.id, { sessionId: session.id });
    return { kind: 'begun', session, config: session.config as SessionConfig, turn };
  });
}

async function sessionFor(
  { actor, models, clock, project }: ProjectContext,
  db: Db,
  sent: Sent,
  terms: TurnTerms,
): Promise<sessions.SessionRow> {
  const owner = { organizationId: actor.organization.id, userId: actor.user.id };
  if (sent.sessionId === undefined) {
    const { origin, visitorId } = terms;
    const begun = await db.one(sessions.insert, {
      organizationId: owner.organizationId,
      userId: visitorId === null ? owner.userId : null,
      visitorId,
      id: newId('chat', clock()),
      projectId: project.id,
      origin,
      title: titleOf(sent.message),
      config: firstConfig({ models }, sent),
      firstMessage: sent.message.slice(0, 500).toWellFormed(),
    });
    await terms.began?.(db, begun);
    return begun;
  }
  const session = await db.row(sessions.lock, { ...owner, id: sent.sessionId });
  if (!session) throw noChatSession();
  if (isConfigured(session)) refuseConfig(sent);
  if (session.origin !== terms.origin)
    throw conflict(
      `This session has the origin "${session.origin}" and cannot be continued here. Start a new one`,
      'CONTINUATION_NOT_ALLOWED',
    );
  if (session.status !== 'active')
    throw conflict('This session is archived. Start a new one', 'CONTINUATION_NOT_ALLOWED');
  if (session.messageCount >= maxMessages)
    throw conflict(`A session can have at most ${maxMessages} messages. Start a new one`, 'SESSION_FULL');
  return configured({ models }, db, session, sent);
}

/**
 * Whether a first message has fixed the model and other settings. A session created by opening a browser has none
 * yet.
 */
export function isConfigured({ config }: sessions.SessionRow): boolean {
  return (config as Partial<SessionConfig>).modelId !== undefined;
}

async function configured(
  services: Pick<Context, 'models'>,
  db: Db,
  session: sessions.SessionRow,
  sent: Sent,
): Promise<sessions.SessionRow> {
  if (isConfigured(session)) return session;
  return db.one(sessions.pin, {
    id: session.id,
    config: firstConfig(services, sent),
    title: titleOf(sent.message),
    firstMessage: sent.message.slice(0, 500).toWellFormed(),
  });
}

/**
 * Only one turn of a session runs at a time. A turn whose process died is marked failed, so that it does not block
 * the session.
 */
async function makeRoom(db: Db, { id: sessionId }: sessions.SessionRow): Promise<void> {
  const running = await db.row(turns.running, { sessionId });
  if (!running) return;
  if (!running.cutOff) throw inProgress(running.leftMs);
  await db.run(turns.failCutOff, { sessionId });
}

/** Checks the budget of a turn about to run. Replaying a finished turn is free. */
function refuseUnpaid(
  context: Context,
  db: Db,
  { config }: Pick<sessions.SessionRow, 'config'>,
): Promise<void> {
  return refuseSpent(context, db, [routeTo(context, (config as SessionConfig).modelId)]);
}

async function again(
  context: Context,
  db: Db,
  earlier: turns.TurnRow & { cutOff: boolean; leftMs: number },
  requestHash: string,
  sent: Sent,
  terms: TurnTerms,
): Promise<Begun | Replayed> {
  if (earlier.requestHash !== requestHash)
    throw conflict(
      'This idempotencyKey was used with another message. Use a new key',
      'IDEMPOTENCY_KEY_REUSED',
    );
  const { organization, user } = context.actor;
  const owner = { organizationId: organization.id, userId: user.id };
  const session = await db.row(sessions.lock, { ...owner, id: earlier.sessionId });
  if (!session) throw noChatSession();
  if (earlier.state === 'completed') return { kind: 'replayed', session, turn: earlier };
  if (earlier.state === 'running' && !earlier.cutOff) throw inProgress(earlier.leftMs);
  if (earlier.modelCalled)
    throw new Refusal(
      'INTERNAL_ERROR',
      'This turn failed after the model was called, so it is not repeated. Send the message with a new idempotencyKey',
      { details: { reason: 'TURN_FAILED', turnId: earlier.id } },
    );
  await terms.admit?.(db, session);
  // The model was not called, so the turn may run again. Another turn may have begun meanwhile.
  if (earlier.state === 'failed') await makeRoom(db, session);
  const { config } = await configured(context, db, session, sent);
  await refuseUnpaid(context, db, { config });
  const turn = await db.one(turns.takeOver, { id: earlier.id, leaseToken: newId('lease'), lease });
  return { kind: 'begun', session, config: config as SessionConfig, turn };
}

function inProgress(leftMs: number): Refusal {
  const retryAfterMs = Math.max(250, Math.min(Math.round(leftMs), 2_000));
  return new Refusal('CONFLICT', 'A turn of this session is in progress. Try again when it has ended', {
    details: { reason: 'TURN_IN_PROGRESS', retryAfterMs },
    retryAfter: Math.ceil(retryAfterMs / 1000),
  });
}

function titleOf(message: string): string {
  const line = message.trim().split('\n', 1)[0] ?? '';
  return asStorable(line.length > 80 ? `${line.slice(0, 79)}…` : line) || 'Untitled';
}
