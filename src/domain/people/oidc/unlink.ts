import { Refusal } from '../../../contract/errors.ts';
import * as sessions from '../../../platform/database/queries/console-sessions.ts';
import * as identities from '../../../platform/database/queries/identities.ts';
import * as passwords from '../../../platform/database/queries/passwords.ts';
import * as people from '../../../platform/database/queries/people.ts';
import { conflict } from '../../base/refusals.ts';
import type { Verb } from '../../context/verb.ts';
import { auditPerson } from '../audit.ts';
import { confirmPresence } from '../confirm.ts';
import { mySession } from '../session.ts';

/** Ends the account's other OpenID sessions, since a session does not record which identity it began with. */
export const unlinkIdentity: Verb<'unlinkIdentity'> = async (context, { identityId: id, body }) => {
  const { db, person } = context;
  const { id: userId } = person.user;
  await confirmPresence(context, body.currentPassword);
  await db.transaction(async (trx) => {
    await trx.row(people.hold, { userId });
    const gone = await trx.row(identities.remove, { id, userId });
    if (!gone) throw new Refusal('NOT_FOUND', 'No such identity');
    const ways = (await trx.rows(identities.list, { userId })).length;
    if (ways === 0 && !(await trx.row(passwords.ofUser, { userId })))
      throw conflict(
        'Set a password before you unlink this identity. It is your only way to sign in',
        'LAST_WAY_IN',
      );
    await trx.run(sessions.endOthersOfProvider, { userId, id: person.sessionId });
    const { issuer, subject } = gone;
    const event = { action: 'identity.unlink', target: id, details: { issuer, subject } };
    await auditPerson(trx, context, userId, event);
  });
  return mySession(context);
};
