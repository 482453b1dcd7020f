import * as rows from '../../platform/database/queries/browser-sessions.ts';
import { enterProject } from '../context/access.ts';
import type { Context, ProjectContext } from '../context/context.ts';
import { closeLost } from '../parts/browser-claim.ts';
import { noBrowser } from '../parts/browser-refusals.ts';

export function ownerOf({ actor }: Context): { organizationId: string; userId: string } {
  return { organizationId: actor.organization.id, userId: actor.user.id };
}

/** The browser of an API client, which belongs to the caller. */
export async function agentBrowser(
  context: Context,
  { projectId, sessionId }: { projectId: string; sessionId: string },
): Promise<{ context: ProjectContext; row: rows.BrowserRow }> {
  const owner = ownerOf(context);
  await closeLost(context.db, owner.userId);
  const row = await context.db.row(rows.find, { ...owner, id: sessionId });
  if (!row || row.projectId !== projectId || row.chatSessionId !== null) throw noBrowser();
  return { context: await enterProject(context, projectId), row };
}
