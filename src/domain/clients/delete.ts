import { Refusal } from '../../contract/errors.ts';
import { deleteClientRow, environmentsUsing, lockClient } from '../../platform/database/queries/clients.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { ProjectContext } from '../context.ts';
import type { Verb } from '../verb.ts';
import { clientCalled, noSuchClient } from './find.ts';

export const deleteClient: Verb<'deleteClient'> = (context, { client }) => removeClient(context, client);

export function removeClient(
  context: ProjectContext,
  idOrName: string,
): Promise<{ id: string; deleted: true }> {
  const projectId = context.project.id;
  return writeInProject(context, async (db) => {
    const { id } = await clientCalled(db, projectId, idOrName, true);
    if (!(await lockClient(db, projectId, id))) throw noSuchClient();
    const environments = await environmentsUsing(db, projectId, id);
    if (environments.length > 0) {
      const names = environments.slice(0, 5).map(({ name }) => JSON.stringify(name));
      const more = environments.length > 5 ? ` and ${environments.length - 5} more` : '';
      throw new Refusal(
        'CONFLICT',
        `The client is used by ${environments.length === 1 ? 'the environment' : 'the environments'} ${names.join(', ')}${more}. Archive what uses it, or give it another client, first`,
        { details: { reason: 'IN_USE', environments: environments.slice(0, 20) } },
      );
    }
    await deleteClientRow(db, projectId, id);
    await audit(db, context, 'client.delete', id);
    return { id, deleted: true } as const;
  });
}
