import { configuredOrigin, type Services } from '../../../domain/context/context.ts';
import { Entrance } from '../../../domain/invoke.ts';
import { ownerOfProject } from '../../../domain/operator/act-as-owner.ts';
import { inProcessClient } from '../../in-process/client.ts';
import type { Connected } from './connect.ts';

/** A client that acts as the owner of the project. Without a running service, this process runs the jobs too. */
export async function clientHere<S extends Services & { connected: { isServed(): Promise<boolean> } }, T>(
  services: S,
  { project, kind }: { project: string | undefined; kind: 'here' | 'temporary' },
  work: (connected: Connected) => Promise<T>,
  startWorkers: (services: S) => () => Promise<void>,
): Promise<T> {
  const { projectId, ...account } = await ownerOfProject(services.db, project);
  await services.notifications.start();
  const stop = (await services.connected.isServed()) ? undefined : startWorkers(services);
  try {
    // Access to the database implies access to the account, without the rate limit of a key.
    const origin = configuredOrigin(services);
    const api = inProcessClient({
      entrance: new Entrance({
        services,
        charge: () => {},
        used: () => {},
        tools: async (caller) =>
          (await import('../../mcp/tools-for-models.ts')).operationTools(services, caller),
      }),
      credential: { kind: 'account', ...account },
      origin: () => origin,
    });
    return await work({ api, projectId: () => Promise.resolve(projectId), origin, kind });
  } finally {
    await stop?.();
  }
}
