import * as blobRows from '../../platform/database/queries/blobs.ts';
import * as entries from '../../platform/database/queries/browser-entries.ts';
import * as rows from '../../platform/database/queries/browser-sessions.ts';
import { enterProject } from '../context/access.ts';
import type { Context } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { closeLost } from '../parts/browser-claim.ts';
import { agentBrowser, ownerOf } from './find.ts';
import { presentAgentBrowser, presentEntry } from './present.ts';

const defaultEntries = 50;
const maxSessions = 200;

export const browserAgentSessions: Verb<'browserAgentSessions'> = async (context, { body }) => {
  const { projectId } = body;
  await enterProject(context, projectId);
  const { userId } = ownerOf(context);
  await closeLost(context.db, userId);
  const found = await context.db.rows(rows.listOwn, { projectId, userId, most: maxSessions });
  return { sessions: found.map(presentAgentBrowser) };
};

export const browserAgentTrace: Verb<'browserAgentTrace'> = async (context, { body }) => {
  const { row } = await agentBrowser(context, body);
  return { entries: await entriesOf(context, row, body) };
};

export async function entriesOf(
  { db }: Context,
  { id: sessionId }: rows.BrowserRow,
  asked: { afterSeq?: number | undefined; limit?: number | undefined; commandId?: string | undefined },
) {
  const { afterSeq: after = 0, limit: most = defaultEntries, commandId = null } = asked;
  const found = await db.rows(entries.list, { sessionId, after, most, commandId });
  return found.map(presentEntry);
}

export const browserAgentArtifact: Verb<'browserAgentArtifact'> = async (context, { body }) => {
  const { row } = await agentBrowser(context, body);
  const blob = await pictureOf(context, row, body.artifactId);
  if (!blob) return { screenshot: null };
  const chunks: Uint8Array[] = [];
  for await (const chunk of context.blobs.read(blob.id)) chunks.push(chunk as Uint8Array);
  return { screenshot: Buffer.concat(chunks).toString('base64') };
};

export async function pictureOf(
  { db }: Context,
  { id: sessionId, projectId }: rows.BrowserRow,
  commandId: string,
) {
  const entry = await db.row(entries.findByCommand, { sessionId, commandId });
  return entry?.blobId == null ? undefined : db.row(blobRows.find, { id: entry.blobId, projectId });
}
