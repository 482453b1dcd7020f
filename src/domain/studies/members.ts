import type { Db } from '../../platform/database/database.ts';
import * as studies from '../../platform/database/queries/studies.ts';
import * as visitors from '../../platform/database/queries/study-visitors.ts';
import { newId } from '../../platform/ids.ts';
import { hashToken, newToken } from '../../platform/secrets/tokens.ts';
import { pageById } from '../base/paging.ts';
import { conflict, notFound } from '../base/refusals.ts';
import { configuredOrigin, type PublicContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { requireLinkMail, sendMail } from '../people/mail.ts';
import { ticketAddress } from './present.ts';
import { studyOf } from './sessions.ts';
import { writeStudy } from './write.ts';

const maxMembers = 1000;
/** Lifetime of a ticket in milliseconds. */
const ticketLifetime = 7 * 24 * 3_600_000;

export const listStudyMembers: Verb<'listStudyMembers'> = async (context, { studyId, ...page }) => {
  await studyOf(context, studyId);
  return pageById(
    context,
    ['study-members', studyId],
    page,
    (after, most) => context.db.rows(visitors.listMembers, { studyId, after, most }),
    (row) => row,
  );
};

export const upsertStudyMember: Verb<'upsertStudyMember'> = async (context, { studyId, body }) => {
  const email = body.email.toLowerCase();
  const mailed = body.sendInviteEmail === true && requireLinkMail(context);
  const { study, memberId, address } = await writeStudy(context, studyId, 'invite', async (db, row) => {
    const known = await db.row(visitors.findMember, { studyId, email });
    if (!known && (await db.one(visitors.countMembers, { studyId })).count >= maxMembers)
      throw conflict(`A study has at most ${maxMembers} members`, 'LIMIT_REACHED', { limit: maxMembers });
    const { id } = await db.one(visitors.addMember, {
      id: newId('smem', context.clock()),
      studyId,
      email,
      invitedBy: context.actor.user.id,
    });
    return { study: row, memberId: id, address: await makeTicket(context, db, id) };
  });
  if (mailed) mailTicket(context, { to: email, name: study.name, address });
  const { projectId, name, description, mode } = study;
  return {
    studyId,
    projectId,
    email,
    memberId,
    invited: mailed,
    ...(!mailed && { entryUrl: address }),
    id: studyId,
    name,
    description,
    mode,
  };
};

/** Creates a single-use entry ticket for a member. Earlier tickets stay valid, except the oldest beyond the limit. */
export async function makeTicket(context: PublicContext, db: Db, memberId: string): Promise<string> {
  const ticket = newToken();
  await db.run(visitors.addTicket, {
    hash: hashToken(ticket),
    memberId,
    expiresAt: context.clock() + ticketLifetime,
  });
  await db.run(visitors.trimTickets, { memberId });
  return ticketAddress(configuredOrigin(context), ticket);
}

export function mailTicket(
  context: PublicContext,
  { to, name, address }: { to: string; name: string; address: string },
): void {
  sendMail(context, {
    to,
    subject: `You are invited to try ${name}`,
    lines: [
      `You are invited to try “${name}”. This link works once, within seven days:`,
      address,
      'If you did not expect this, you can ignore it.',
    ],
  });
}

export const removeStudyMember: Verb<'removeStudyMember'> = (context, { studyId, memberIdOrEmail }) =>
  writeStudy(context, studyId, 'remove-member', async (db, { projectId }) => {
    const idOrEmail = memberIdOrEmail.includes('@') ? memberIdOrEmail.toLowerCase() : memberIdOrEmail;
    if (!(await db.row(visitors.removeMember, { studyId, idOrEmail }))) throw notFound('member of the study');
    await db.run(studies.incrementAccessVersion, { id: studyId });
    return { studyId, projectId, removed: memberIdOrEmail };
  });
