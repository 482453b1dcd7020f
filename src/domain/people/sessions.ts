import { Refusal } from '../../contract/errors.ts';
import * as sessions from '../../platform/database/queries/console-sessions.ts';
import type { Verb } from '../context/verb.ts';
import { auditPerson } from './audit.ts';
import { mySession, signInMethods } from './session.ts';

const day = 86_400_000;

export const getSession: Verb<'getSession'> = async (context) => {
  const { person } = context;
  return person ? mySession({ ...context, person }) : { signedIn: false, ways: signInMethods(context) };
};

export const signOut: Verb<'signOut'> = async (context) => {
  const { db, person, visitor } = context;
  await db.transaction(async (trx) => {
    await trx.run(sessions.end, { id: person.sessionId, userId: person.user.id });
    const event = { action: 'session.end', target: person.sessionId };
    await auditPerson(trx, context, person.user.id, event);
  });
  visitor.keepSession(undefined);
  return { signedIn: false, ways: signInMethods(context) };
};

export const listMySessions: Verb<'listMySessions'> = async ({ db, person }) => {
  const rows = await db.rows(sessions.list, { userId: person.user.id });
  return {
    items: rows.map(({ id, way, address, userAgent, createdAt, lastSeenAt }) => ({
      id,
      current: id === person.sessionId,
      way,
      address,
      userAgent,
      createdAt,
      lastSeenAt,
      expiresAt: Math.min(lastSeenAt + sessions.idleDays * day, createdAt + sessions.maxDays * day),
    })),
  };
};

export const endSession: Verb<'endSession'> = async (context, { signInId: id }) => {
  const { db, person, visitor } = context;
  await db.transaction(async (trx) => {
    if ((await trx.run(sessions.end, { id, userId: person.user.id })) === 0)
      throw new Refusal('NOT_FOUND', 'No such session');
    const details = { endedFrom: person.sessionId };
    await auditPerson(trx, context, person.user.id, { action: 'session.end', target: id, details });
  });
  if (id === person.sessionId) visitor.keepSession(undefined);
  return { id, ended: true };
};
