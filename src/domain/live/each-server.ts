import type { Conversation } from '../../mcp/mcp.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import type { ProjectContext } from '../context.ts';
import { found } from '../refusals.ts';
import { withServer } from './reach.ts';

/** Does `work` with each of some saved servers, all at once; the first that cannot be used is the refusal. */
export function withEachServer<T>(
  context: ProjectContext,
  saved: readonly { id: string }[],
  work: (conversation: Conversation) => Promise<T>,
): Promise<T[]> {
  const { db, project } = context;
  return Promise.all(
    saved.map(async ({ id }) => {
      const server = found(await db.row(servers.findLive, { projectId: project.id, id }), 'server');
      return withServer({ ...context, server }, {}, work);
    }),
  );
}
