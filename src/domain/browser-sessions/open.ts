import { type BrowserPolicy, samePolicy } from '../../browser/policy.ts';
import { problemOfOrigins } from '../../contract/browser-origins.ts';
import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as rows from '../../platform/database/queries/browser-sessions.ts';
import { newId } from '../../platform/ids.ts';
import { conflict } from '../base/refusals.ts';
import { enterProject, writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { closeLost } from '../parts/browser-claim.ts';
import { checkBrowser, closedBrowser, noBrowser } from '../parts/browser-refusals.ts';
import { ownerOf } from './find.ts';
import { presentAgentBrowser } from './present.ts';

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

/**
 * Returns the browser that `find` finds, or creates one. Refuses if the existing browser has other settings. Starts
 * the browser, unless it is closed. If a new browser does not start, it is removed and `undo` runs.
 */
export async function openBrowser(
  context: ProjectContext,
  wanted: Wanted,
  find: (db: Db) => Promise<rows.BrowserRow | undefined>,
  undo?: (db: Db) => Promise<void>,
): Promise<rows.BrowserRow> {
  const { db, liveBrowsers } = context;
  const owner = ownerOf(context);
  const problem = problemOfOrigins(wanted.policy?.originAllowlist);
  if (problem !== undefined) throw new Refusal('VALIDATION_ERROR', `policy: ${problem}`);
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
    if (fresh) {
      await db.run(rows.remove, { id: row.id });
      await undo?.(db);
    }
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
