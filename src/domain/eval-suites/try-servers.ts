import * as rows from '../../platform/database/queries/servers.ts';
import type { ProjectContext } from '../context.ts';
import { withServer } from '../live/reach.ts';
import { found } from '../refusals.ts';

/** Connects to each; the first that cannot be used is the refusal. */
export async function tryServers(context: ProjectContext, servers: readonly { id: string }[]): Promise<void> {
  const projectId = context.project.id;
  await Promise.all(
    servers.map(async ({ id }) => {
      const server = found(await context.db.row(rows.findLive, { projectId, id }), 'server');
      await withServer({ ...context, server }, {}, async ({ identity }) => identity);
    }),
  );
}
