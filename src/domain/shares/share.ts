import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import * as shares from '../../platform/database/queries/shares.ts';
import { conflict, invalid } from '../base/refusals.ts';
import { findConformanceRun } from '../conformance-runs/find.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import { forgetLink, linkTo, mintLink } from '../context/sealed-links.ts';
import type { Verb } from '../context/verb.ts';
import { findRun } from '../eval-runs/read/find.ts';
import { linkOf } from '../studies/present.ts';
import { studyOf } from '../studies/sessions.ts';
import { rotateStudyLink, updateStudy } from '../studies/update.ts';

type Share = OutputOf<Operations['getShare']>;
type Named = { shareKind: string; targetId: string };
type SharedResource = { projectId: string; kind: 'evalRun' | 'conformanceRun'; targetId: string };

const page = '/shared';

export const getShare: Verb<'getShare'> = async (context, input) => {
  if (input.shareKind === 'scenario') return ofStudy(context, input.targetId);
  const which = await runOf(context, input);
  return presentShare(context, which, await context.db.row(shares.find, which));
};

/** Finds the shared run; refuses other kinds. */
async function runOf(context: ProjectContext, { shareKind, targetId }: Named): Promise<SharedResource> {
  if (shareKind !== 'evalRun' && shareKind !== 'conformanceRun')
    throw new Refusal('NOT_FOUND', 'Only scenario, evalRun and conformanceRun can be shared');
  await (shareKind === 'evalRun' ? findRun : findConformanceRun)(context, targetId);
  return { projectId: context.project.id, kind: shareKind, targetId };
}

function presentShare(
  context: ProjectContext,
  which: SharedResource,
  row: shares.ShareRow | undefined,
): Share {
  const over = row?.expiresAt != null && row.expiresAt <= context.clock();
  const link = row && !over ? linkTo(context, page, row) : null;
  return {
    ...which,
    shared: link !== null,
    mode: null,
    policyVersion: row?.policyVersion ?? 0,
    expiresAt: row?.expiresAt ?? null,
    link,
    updatedAt: row?.updatedAt ?? null,
  };
}

async function ofStudy(context: ProjectContext, studyId: string): Promise<Share> {
  const study = await studyOf(context, studyId);
  return {
    projectId: study.projectId,
    kind: 'scenario',
    targetId: study.id,
    shared: study.publishedAt !== null,
    mode: study.mode,
    policyVersion: study.accessVersion,
    expiresAt: null,
    link: linkOf(context, study),
    updatedAt: study.updatedAt,
  };
}

export const updateShare: Verb<'updateShare'> = async (context, input) => {
  const { body } = input;
  if (input.shareKind === 'scenario') return changeStudy(context, input.targetId, body);
  if (body.mode !== undefined) throw invalid('mode: Only for studies. Send shared');
  if (body.expiresAt != null && body.expiresAt <= context.clock())
    throw invalid('expiresAt: Must lie in the future');
  const which = await runOf(context, input);
  return writeInProject(context, async (db) => {
    await db.row(shares.lockShare, which);
    const before = await db.row(shares.find, which);
    refuseStale(body.expectedPolicyVersion, before?.policyVersion ?? 0);
    const wasOpen = presentShare(context, which, before).shared;
    const open = body.shared ?? wasOpen;
    if (body.rotate && !open)
      throw conflict('The resource is not shared, so it has no link to replace', 'NOT_SHARED');
    const kept = wasOpen && !body.rotate ? before : undefined;
    const { expiresAt: end = wasOpen ? (before?.expiresAt ?? null) : null } = body;
    const { linkHash = null, linkSealedId = null } = open ? (kept ?? (await mintLink(context, db))) : {};
    await db.run(shares.put, {
      ...which,
      policyVersion: (before?.policyVersion ?? 0) + 1,
      linkHash,
      linkSealedId,
      // Closing a share also drops its expiry.
      expiresAt: open ? end : null,
      updatedBy: context.actor.user.id,
    });
    if (before && before.linkSealedId !== linkSealedId) await forgetLink(context, db, before);
    await audit(db, context, open ? 'share.open' : 'share.close', which.targetId, { kind: which.kind });
    return presentShare(context, which, await db.row(shares.find, which));
  });
};

function refuseStale(expected: number | undefined, current: number): void {
  if (expected === undefined || expected === current) return;
  throw conflict('The sharing settings have changed. Reload them and try again', 'STALE_POLICY', {
    currentPolicyVersion: current,
  });
}

/** Studies are updated by their own operation, to which this one delegates. */
async function changeStudy(
  context: ProjectContext,
  studyId: string,
  body: Parameters<typeof updateShare>[1]['body'],
): Promise<Share> {
  const { expectedPolicyVersion, mode, rotate, shared, expiresAt } = body;
  if (shared !== undefined || expiresAt !== undefined)
    throw invalid('shared: Only for runs. Publish or unpublish the environment of the study, or send mode');
  const projectId = context.project.id;
  refuseStale(expectedPolicyVersion, (await studyOf(context, studyId)).accessVersion);
  if (mode !== undefined) await updateStudy(context, { projectId, studyId, body: { mode } });
  if (rotate) await rotateStudyLink(context, { projectId, studyId });
  return ofStudy(context, studyId);
}
