import { Refusal } from '../../contract/errors.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { VisitOperations } from '../../contract/visit/index.ts';
import type { Db } from '../../platform/database/database.ts';
import * as studies from '../../platform/database/queries/studies.ts';
import * as visitors from '../../platform/database/queries/study-visitors.ts';
import { newId } from '../../platform/ids.ts';
import { hashToken, newToken } from '../../platform/secrets/tokens.ts';
import { deadLink } from '../base/refusals.ts';
import type { VisitorContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { enforceAttemptLimit } from '../people/attempt-limits.ts';
import { mailsLinks, requireLinkMail } from '../people/mail.ts';
import { mailTicket, makeTicket } from '../studies/members.ts';

type Given = InputOf<VisitOperations['enterStudy']>['body'];
type Study = studies.StudyRow;

/** New guests per study and day. */
const maxGuests = 5_000;

export const openStudy: Verb<'openStudy'> = async (context, { body }) => {
  const { db, person } = context;
  const study = await db.row(studies.byLink, { linkHash: hashToken(body.link) });
  if (!study) throw deadLink();
  return {
    name: study.name,
    description: study.description,
    entry: (await seesProject(context, db, study)) ? 'open' : entries[study.mode],
    signedInAs: person?.user.email ?? null,
    mail: mailsLinks(context),
  };
};

const entries = {
  anyone_with_link: 'open',
  invited_only: 'invitation',
  project_members: 'sign-in',
} as const satisfies Record<studies.Mode, string>;

/** Whether the signed-in user can see the project of the study. */
async function seesProject({ person }: VisitorContext, db: Db, { projectId }: Study): Promise<boolean> {
  if (!person) return false;
  const row = await db.row(visitors.seesProject, { projectId, userId: person.user.id });
  return row?.sees === true;
}

export const enterStudy: Verb<'enterStudy'> = async (context, { body }) => {
  const { db } = context;
  const token = `guest_${newToken()}`;
  const visitor = await db.transaction(async (trx) => {
    const { study, memberId, before } = await ledTo(context, trx, body);
    const who = await whoIs(context, trx, study, memberId, before);
    const row = await comeIn(context, trx, study, body, who);
    await trx.run(visitors.grant, { tokenHash: hashToken(token), visitorId: row.id, studyId: study.id });
    await trx.run(visitors.trimGrants, { visitorId: row.id });
    return row;
  });
  const { id, kind, displayName } = visitor;
  return { token, visitor: { id, kind, displayName } };
};

interface Led {
  study: Study;
  /** Set if the visitor came with a ticket. */
  memberId?: string;
  before?: visitors.VisitorRow | undefined;
}

/**
 * Finds the study of a link or ticket, and locks it against narrowing of its access. A visitor known by more than the
 * link may return even if the link was replaced.
 */
async function ledTo(context: VisitorContext, db: Db, { link, ticket, before: token }: Given): Promise<Led> {
  if (ticket !== undefined) {
    const used = await db.row(visitors.useTicket, { hash: hashToken(ticket) });
    const study = used && (await db.row(studies.hold, { id: used.studyId, linkHash: null }));
    if (!study) throw deadLink();
    return { study, memberId: used.memberId };
  }
  const linkHash = hashToken(link as string);
  const earlier = async (): Promise<visitors.VisitorRow | undefined> =>
    token === undefined ? undefined : db.row(visitors.findByToken, { tokenHash: hashToken(token) });
  const named = await db.row(studies.byLink, { linkHash });
  const held = named && (await db.row(studies.hold, { id: named.id, linkHash }));
  const last = held ? undefined : await earlier();
  const study = held ?? (last && (await db.row(studies.hold, { id: last.studyId, linkHash: null })));
  // Read under the lock, since an invitation may have been revoked before.
  const before = study && (await earlier());
  const known =
    before &&
    (before.memberId !== null || (before.kind === 'member' && (await seesProject(context, db, study))));
  if (!study || !(held || known)) throw deadLink();
  return { study, before: before?.studyId === study.id ? before : undefined };
}

type Who = Pick<visitors.VisitorRow, 'kind' | 'userId' | 'memberId'> & {
  before: visitors.VisitorRow | undefined;
};

async function whoIs(
  context: VisitorContext,
  db: Db,
  study: Study,
  ticketOf: string | undefined,
  before: visitors.VisitorRow | undefined,
): Promise<Who> {
  const userId = context.person?.user.id ?? null;
  if (await seesProject(context, db, study)) return { kind: 'member', userId, memberId: null, before };
  const memberId = ticketOf ?? before?.memberId ?? null;
  if (memberId !== null && study.mode !== 'project_members')
    return { kind: 'invited', userId: null, memberId, before };
  if (study.mode === 'anyone_with_link') return { kind: 'guest', userId, memberId: null, before };
  if (study.mode === 'invited_only')
    throw new Refusal('UNAUTHORIZED', 'Only invited people can enter. Open the link in your invitation', {
      details: { reason: 'INVITATION_NEEDED' },
    });
  throw new Refusal(
    'UNAUTHORIZED',
    "Only project members can open this study. Sign in with a member's account",
    {
      details: { reason: 'SIGN_IN_FIRST' },
    },
  );
}

/** Continues as the known visitor, or creates a new one. */
async function comeIn(
  context: VisitorContext,
  db: Db,
  { id: studyId }: Study,
  { displayName, language }: Given,
  { before, ...who }: Who,
): Promise<visitors.VisitorRow> {
  const { visitor, clock, person } = context;
  const { userId, memberId } = who;
  const known =
    (userId ?? memberId) ? await db.row(visitors.findKnown, { studyId, userId, memberId }) : undefined;
  const earlier = known ?? (before?.userId === null || before?.userId === userId ? before : undefined);
  const row = {
    ...who,
    id: earlier?.id ?? newId('vis', clock()),
    studyId,
    displayName: displayName ?? (userId === null ? null : (person?.user.name ?? null)),
    deviceKind: deviceOf(visitor.userAgent),
    language: language ?? null,
  };
  if (earlier) return db.one(visitors.touchVisitor, row);
  if (who.kind === 'guest') await refuseCrowd(context, db, studyId);
  return db.one(visitors.insert, row);
}

async function refuseCrowd(context: VisitorContext, db: Db, studyId: string): Promise<void> {
  await enforceAttemptLimit({ ...context, db }, { kind: 'guest', of: context.visitor.address });
  if ((await db.one(visitors.countNewGuests, { studyId })).count < maxGuests) return;
  throw new Refusal(
    'RATE_LIMITED',
    'This study has reached its limit of visitors for today. Try again tomorrow',
    {
      details: { reason: 'GUEST_LIMIT' },
      retryAfter: 3_600,
    },
  );
}

function deviceOf(userAgent = ''): string {
  if (/ipad|tablet/i.test(userAgent)) return 'tablet';
  if (/mobi|iphone|android/i.test(userAgent)) return 'mobile';
  return /mozilla/i.test(userAgent) ? 'desktop' : 'other';
}

/** Response and duration do not reveal whether the address is invited. */
export const requestStudyTicket: Verb<'requestStudyTicket'> = async (context, { body }) => {
  const { db, visitor } = context;
  const study = await db.row(studies.byLink, { linkHash: hashToken(body.link) });
  if (!study) throw deadLink();
  const mail = requireLinkMail(context);
  const email = body.email.toLowerCase();
  await enforceAttemptLimit(
    context,
    { kind: 'reset', of: `${study.id} ${email}` },
    // Counted apart from failed sign-ins, since many visitors may share an address.
    { kind: 'guest', of: visitor.address },
  );
  if (!mail || study.mode === 'project_members') return { mail };
  const address = await db.transaction(async (trx) => {
    const member = await trx.row(visitors.findMember, { studyId: study.id, email });
    return member && makeTicket(context, trx, member.id);
  });
  if (address !== undefined) mailTicket(context, { to: email, name: study.name, address });
  return { mail };
};
