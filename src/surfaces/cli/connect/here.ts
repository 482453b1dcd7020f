import { configuredOrigin, type Services } from '../../../domain/context.ts';
import { Entrance } from '../../../domain/invoke.ts';
import { ownerOfProject } from '../../../domain/operator/act-as-owner.ts';
import { inProcessClient } from '../../in-process/client.ts';
import type { Connected } from './connect.ts';

/** As the owner of the project. When no service works here, this process does. */
export async function clientHere<S extends Services & { connected: { isServed(): Promise<boolean> } }, T>(
  services: S,
  { project, kind }: { project: string | undefined; kind: 'here' | 'temporary' },
  work: (connected: Connected) => Promise<T>,
  workOn: (services: S) => () => Promise<void>,
): Promise<T> {
  const { projectId, ...account } = await ownerOfProject(services.db, project);
  await services.notifications.start();
  const stop = (await services.connected.isServed()) ? undefined : workOn(services);
  try {
    // Whoever may read the database is let in as the account, and pays from no budget of a key.
    const origin = configuredOrigin(services);
    const api = inProcessClient({
      entrance: new Entrance({
        services,
        charge: () => {},
        used: () => {},
        tools: async (caller) =>
          (await import('../../agent/operation-tools.ts')).operationTools(services, caller),
      }),
      credential: { kind: 'account', ...account },
      origin: () => origin,
    });
    return await work({ api, projectId: () => Promise.resolve(projectId), origin, kind });
  } finally {
    await stop?.();
  }
}
