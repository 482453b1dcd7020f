import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as waivers from '../../../platform/database/queries/gate-waivers.ts';
import { newId } from '../../../platform/ids.ts';
import { found, invalid } from '../../base/refusals.ts';
import { writeInProject } from '../../context/access.ts';
import { audit } from '../../context/audit.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { enqueueWaiverEvent } from '../announce.ts';
import { findRun, snapshotOf } from '../find.ts';

type Waiver = NonNullable<OutputOf<Operations['getGateWaiver']>['waiver']>;

/** Longest time to expiry, in milliseconds. */
const maxDuration = 30 * 86_400_000;

export const createGateWaiver: Verb<'createGateWaiver'> = async (context, { runId, body }) => {
  const { clock, actor } = context;
  const run = await findRun(context, runId);
  const { reason, expiresAt } = body;
  const now = clock();
  if (expiresAt <= now) throw invalid('expiresAt: Must lie in the future');
  if (expiresAt > now + maxDuration) throw invalid('expiresAt: At most 30 days from now');
  const { minimumPassRate } = await snapshotOf(context, run.id);
  return writeInProject(context, async (db) => {
    // The lock serializes concurrent requests.
    found(await db.row(runs.lock, { id: run.id }), 'run');
    const last = await db.row(waivers.ofRun, { runId: run.id });
    if (last && isActive(last, now)) return written('conflict', last, now);
    const id = newId('wvr', now);
    await db.run(waivers.insert, {
      id,
      suiteId: run.suiteId,
      runId: run.id,
      reason,
      expiresAt,
      createdBy: actor.user.id,
      minimumPassRate: run.policy === 2 ? null : minimumPassRate,
    });
    await audit(db, context, 'gate-waiver.create', id);
    await enqueueWaiverEvent(db, run, 'waiver.created', id);
    return written('created', await db.one(waivers.find, { runId: run.id, id }), now);
  });
};

export const getGateWaiver: Verb<'getGateWaiver'> = async (context, { runId }) => {
  const run = await findRun(context, runId);
  return { waiver: await waiverOf(context, run.id) };
};

export const revokeGateWaiver: Verb<'revokeGateWaiver'> = async (context, { runId, waiverId }) => {
  const { clock, actor } = context;
  const run = await findRun(context, runId);
  return writeInProject(context, async (db) => {
    const which = { runId: run.id, id: waiverId };
    found(await db.row(waivers.find, which), 'waiver');
    const revoked = await db.row(waivers.revoke, { id: waiverId, revokedBy: actor.user.id });
    if (revoked) {
      await audit(db, context, 'gate-waiver.revoke', waiverId);
      await enqueueWaiverEvent(db, run, 'waiver.revoked', waiverId);
    }
    const waiver = await db.one(waivers.find, which);
    return written(revoked ? 'revoked' : 'already_revoked', waiver, clock());
  });
};

/** The last waiver of a run, active or not. */
export async function waiverOf(
  { db, clock }: Pick<ProjectContext, 'db' | 'clock'>,
  runId: string,
): Promise<Waiver | null> {
  const row = await db.row(waivers.ofRun, { runId });
  return row ? present(row, clock()) : null;
}

function written(
  status: OutputOf<Operations['createGateWaiver']>['status'],
  waiver: waivers.WaiverRow,
  now: number,
): OutputOf<Operations['createGateWaiver']> {
  return { status, republishedChecks: 0, waiver: present(waiver, now) };
}

function present(row: waivers.WaiverRow, now: number): Waiver {
  const { minimumPassRate, ...shown } = row;
  return {
    ...shown,
    active: isActive(row, now),
    policySnapshot: minimumPassRate === null ? null : { minimumPassRate },
  };
}

function isActive({ revokedAt, expiresAt }: waivers.WaiverRow, now: number): boolean {
  return revokedAt === null && expiresAt > now;
}
