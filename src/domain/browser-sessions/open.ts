import { type BrowserPolicy, samePolicy } from '../../browser/policy.ts';
import type { Db } from '../../platform/database/database.ts';
import * as rows from '../../platform/database/queries/browser-sessions.ts';
import * as chats from '../../platform/database/queries/chat-sessions.ts';
import { newId } from '../../platform/ids.ts';
import { conflict } from '../base/refusals.ts';
import { enterProject, writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { closeLost } from '../parts/browser-claim.ts';
import { checkBrowser, checkReadable, closedBrowser, noBrowser } from '../parts/browser-refusals.ts';
import { type ChatBrowser, chatBrowser, ownerOf } from './find.ts';
import { presentAgentBrowser, presentSessionBrowser } from './present.ts';

const defaultPolicy: BrowserPolicy = { mode: 'read_only' };

interface Wanted {
  policy: BrowserPolicy | undefined;
  profile: string | undefined;
  runKey?: string | undefined;
  idempotencyKey?: string;
  chatSessionId?: string;
}

export const browserAgentSession: Verb<'browserAgentSession'> = async (context, { body }) => {
  const { projectId, policy, runKey, profile } = body;
  const entered = await enterProject(context, projectId);
  const { userId } = ownerOf(entered);
  const row = await openBrowser(entered, { policy, runKey, profile }, async (db) => {
    if (runKey === undefined) return undefined;
    const earlier = await db.row(rows.findByRunKey, { projectId, userId, runKey });
    if (earlier?.state === 'closed') throw closedBrowser(earlier);
    return earlier;
  });
  return presentAgentBrowser(row);
};

export const chatSessionBrowserOpen: Verb<'chatSessionBrowserOpen'> = async (
  context,
  { sessionId, body },
) => {
  const found = await chatBrowser(context, sessionId);
  return opened(found.chat, await openOfChat(found, body));
};

/** The one browser of a chat session; a new one if it was closed. */
export function openOfChat(
  { context, chat }: Pick<ChatBrowser, 'context' | 'chat'>,
  { policy, profileId }: { policy?: BrowserPolicy | undefined; profileId?: string | undefined },
): Promise<rows.BrowserRow> {
  const chatSessionId = chat.id;
  return openBrowser(context, { policy, profile: profileId, chatSessionId }, async (db) => {
    const latest = await db.row(rows.findOfChat, { chatSessionId });
    return latest?.state === 'closed' ? undefined : latest;
  });
}

/** Creates a session without a turn; the first message sets its model and other settings. */
export const createChatSessionBrowser: Verb<'createChatSessionBrowser'> = async (context, { body }) => {
  const { projectId, policy, profileId, idempotencyKey } = body;
  const entered = await enterProject(context, projectId);
  const owner = ownerOf(entered);
  const chatSessionId = newId('chat', context.clock());
  const wanted = { policy, profile: profileId, idempotencyKey, chatSessionId };
  const row = await openBrowser(entered, wanted, async (db) => {
    const earlier = await db.row(rows.findByKey, { ...owner, idempotencyKey });
    if (earlier && earlier.projectId !== projectId)
      throw conflict(
        'This idempotencyKey was used in another project. Use a new key',
        'IDEMPOTENCY_KEY_REUSED',
      );
    if (!earlier)
      await db.one(chats.insert, {
        visitorId: null,
        ...owner,
        id: chatSessionId,
        projectId,
        origin: 'api',
        title: 'Browser',
        config: {},
        firstMessage: '',
      });
    return earlier;
  });
  const chat = await context.db.row(chats.find, { ...owner, id: row.chatSessionId ?? '' });
  if (!chat) throw noBrowser();
  return opened(chat, row);
};

function opened({ id, projectId }: chats.SessionRow, row: rows.BrowserRow) {
  return { sessionId: id, chatSessionId: id, projectId, browser: presentSessionBrowser(row) };
}

/**
 * Returns the browser that `find` finds, or creates one. Refuses if the existing browser has other settings. Starts
 * the browser, unless it is closed.
 */
async function openBrowser(
  context: ProjectContext,
  wanted: Wanted,
  find: (db: Db) => Promise<rows.BrowserRow | undefined>,
): Promise<rows.BrowserRow> {
  const { db, liveBrowsers } = context;
  const owner = ownerOf(context);
  checkReadable('policy', wanted.policy ?? defaultPolicy);
  checkBrowser(context);
  await closeLost(db, owner.userId);
  const { row, fresh } = await writeInProject(context, async (trx) => {
    await trx.row(rows.lockOpening, { userId: owner.userId });
    const earlier = await find(trx);
    if (earlier) refuseOther(earlier, wanted);
    const found = earlier ?? (await insertBrowser(context, trx, wanted));
    await audit(trx, context, 'browser-session.open', found.id);
    return { row: found, fresh: !earlier };
  });
  if (row.state === 'closed') return row;
  try {
    await liveBrowsers.open(row);
  } catch (error) {
    if (fresh) await takeBack(context, row);
    throw error;
  }
  const now = await db.row(rows.find, { ...owner, id: row.id });
  if (!now) throw noBrowser();
  return now;
}

async function insertBrowser(context: ProjectContext, db: Db, wanted: Wanted): Promise<rows.BrowserRow> {
  const { project, clock } = context;
  const owner = ownerOf(context);
  const {
    policy = defaultPolicy,
    profile,
    runKey = null,
    idempotencyKey = null,
    chatSessionId = null,
  } = wanted;
  const place = { projectId: project.id, userId: owner.userId };
  const rival = profile === undefined ? undefined : await db.row(rows.findByProfile, { ...place, profile });
  if (rival)
    throw conflict(`The profile is in use by ${rival.id}. Close that browser first`, 'PROFILE_IN_USE', {
      sessionId: rival.id,
    });
  return db.one(rows.insert, {
    ...owner,
    ...place,
    id: newId('brw', clock()),
    chatSessionId,
    runKey,
    idempotencyKey,
    policy,
    effective: policy,
    profile: profile ?? null,
    state: 'sleeping',
  });
}

/** A repeated request must match the existing session's settings. */
function refuseOther(row: rows.BrowserRow, { policy, profile, runKey, idempotencyKey }: Wanted): void {
  const inForce = row.policy as BrowserPolicy;
  const asGranted = policy === undefined || samePolicy(policy, inForce);
  const sameProfile = (profile ?? null) === row.profile;
  // For the browser of a chat session, an omitted profile means any; an omitted policy means any for all browsers.
  if (asGranted && (sameProfile || (row.chatSessionId !== null && profile === undefined))) return;
  const key = runKey === undefined ? 'idempotencyKey' : 'runKey';
  const named = runKey !== undefined || idempotencyKey !== undefined;
  throw conflict(
    `The browser is open with ${asGranted ? 'another profile' : `the policy ${inForce.mode}`}. Request the same policy and profile${named ? `, or use a new ${key}` : ', or close it first'}`,
    'BROWSER_POLICY_CONFLICT',
    { policy: inForce, ...(row.profile !== null && { profile: row.profile }), sessionId: row.id },
  );
}

/** Undoes the creation after a failed start, including a chat session created only for this browser. */
async function takeBack(
  { db }: ProjectContext,
  { id, chatSessionId, idempotencyKey }: rows.BrowserRow,
): Promise<void> {
  await db.run(rows.remove, { id });
  if (chatSessionId !== null && idempotencyKey !== null)
    await db.run(chats.removeEmpty, { id: chatSessionId });
}
