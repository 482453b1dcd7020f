import type { Conversation } from '../../mcp/mcp.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { found } from '../base/refusals.ts';
import type { ProjectContext } from '../context/context.ts';
import { withServer } from './reach.ts';

/** Runs `work` with each of the saved servers concurrently; the first unusable one is the refusal. */
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
