import { createHash } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import * as links from '../../platform/database/queries/artifact-links.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import { newId } from '../../platform/ids.ts';
import { newToken } from '../../platform/secrets/tokens.ts';
import { found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Context, ProjectContext, PublicContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { actFor } from '../identity/act-for.ts';
import { storeArtifact } from './upload-artifact.ts';

/** Lifetimes of links in milliseconds. */
const lifetimes = { upload: 15 * 60_000, read: 5 * 60_000 };

type Purpose = links.LinkRow['purpose'];

export const createEvalIngestUploadUrl: Verb<'createEvalIngestUploadUrl'> = async (context) => {
  const { token, expiresAt } = await makeLink(context, 'upload', null);
  return { ok: true, uploadUrl: addressOf(context, `artifact-uploads/${token}`), expiresAt };
};

/** Acts as the account that created the link, with its current permissions. */
export const uploadEvalArtifactByLink: Verb<'uploadEvalArtifactByLink'> = async (context, input) => {
  const { tokenHash, ...account } = await linkOf(context, 'upload', input.uploadToken);
  const { requestId, clock } = context;
  const holder = { ...account, requestId };
  const acting = await actFor(context, 'uploadEvalArtifact', holder);
  const watched = context.accessWatch.watch(account, context.callerGone());
  acting.callerGone = () => watched.signal;
  return storeArtifact(acting, newId('blob', clock()), input.upload, async (db) => {
    // Checked again after the body, which a slow sender can stretch.
    await actFor(context, 'uploadEvalArtifact', holder);
    // The link is single-use: of two concurrent uses, the first wins.
    if (!(await db.row(links.remove, { tokenHash }))) throw noLink('upload');
  }).finally(() => watched.stop());
};

export const createEvalArtifactLink: Verb<'createEvalArtifactLink'> = async (context, { storageId }) => {
  const { id } = await findArtifact(context, storageId);
  const { token, expiresAt } = await makeLink(context, 'read', id);
  return { ok: true, url: addressOf(context, `artifact-links/${token}`), expiresAt };
};

export const getEvalArtifactByLink: Verb<'getEvalArtifactByLink'> = async (context, { linkToken }) => {
  const { blobId, ...account } = await linkOf(context, 'read', linkToken);
  if (blobId === null) throw noLink('read');
  const { requestId } = context;
  const acting = await actFor(context, 'getEvalArtifact', { ...account, requestId });
  const { contentType, size } = await findArtifact(acting, blobId);
  return { contentType, size, bytes: context.blobs.read(blobId) };
};

export const getEvalArtifact: Verb<'getEvalArtifact'> = async (context, { storageId }) => {
  const { contentType, size } = await findArtifact(context, storageId);
  return { contentType, size, bytes: context.blobs.read(storageId) };
};

export async function findArtifact({ db, project }: Pick<ProjectContext, 'db' | 'project'>, id: string) {
  return found(await db.row(blobRows.find, { projectId: project.id, id }), 'artifact');
}

/** Returns the token once; only its hash is stored. */
async function makeLink(
  context: ProjectContext,
  purpose: Purpose,
  blobId: string | null,
): Promise<{ token: string; expiresAt: number }> {
  const { actor, project, clock } = context;
  const token = newToken();
  const expiresAt = clock() + lifetimes[purpose];
  await writeInProject(context, async (db) => {
    await db.run(links.insert, {
      tokenHash: hashOf(token),
      purpose,
      projectId: project.id,
      organizationId: actor.organization.id,
      userId: actor.user.id,
      blobId,
      expiresAt,
    });
    await audit(db, context, `eval-artifact.link-to-${purpose}`, blobId ?? project.id);
  });
  return { token, expiresAt };
}

async function linkOf({ db }: PublicContext, purpose: Purpose, token: string): Promise<links.LinkRow> {
  const link = await db.row(links.find, { tokenHash: hashOf(token), purpose });
  if (!link) throw noLink(purpose);
  return link;
}

function noLink(purpose: Purpose): Refusal {
  return new Refusal(
    'NOT_FOUND',
    purpose === 'upload'
      ? 'This upload URL was already used or has expired. Request another one'
      : 'This link is not valid or has expired. Request another one',
  );
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function addressOf({ origin }: Pick<Context, 'origin'>, path: string): string {
  return `${origin()}/api/v1/${path}`;
}
