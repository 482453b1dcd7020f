import * as clients from '../../platform/database/queries/clients.ts';
import { conflict, found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { clientCalled } from './find.ts';

export const deleteClient: Verb<'deleteClient'> = (context, { client }) => removeClient(context, client);

export function removeClient(
  context: ProjectContext,
  idOrName: string,
): Promise<{ id: string; deleted: true }> {
  const projectId = context.project.id;
  return writeInProject(context, async (db) => {
    const { id } = await clientCalled(db, projectId, idOrName, true);
    found(await db.row(clients.lock, { projectId, id }), 'client');
    const environments = await db.rows(clients.environments, { projectId, id });
    if (environments.length > 0) {
      const names = environments.slice(0, 5).map(({ name }) => JSON.stringify(name));
      const more = environments.length > 5 ? ` and ${environments.length - 5} more` : '';
      const [users, remedy] =
        environments.length === 1
          ? ['the environment', 'Archive this environment or change its client first']
          : ['the environments', 'Archive these environments or change their client first'];
      throw conflict(`The client is used by ${users} ${names.join(', ')}${more}. ${remedy}`, 'IN_USE', {
        environments: environments.slice(0, 20),
      });
    }
    await db.run(clients.remove, { projectId, id });
    await audit(db, context, 'client.delete', id);
    return { id, deleted: true } as const;
  });
}
