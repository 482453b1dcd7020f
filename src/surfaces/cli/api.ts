import { Refusal } from '../../contract/errors.ts';
import { configuredOrigin, type Services } from '../../domain/context.ts';
import { Entrance } from '../../domain/invoke.ts';
import { ownerOfProject } from '../../domain/operator/act-as-owner.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { type Client, createClient, DrydockError } from '../client/index.ts';
import { inProcessClient } from '../in-process/client.ts';
import { exitCodes } from './exit-codes.ts';

type Work<T> = (api: Client, projectId: string) => Promise<T>;

/** Over HTTP, with the key that the environment holds: one on the command line would be seen by others. */
export async function elsewhere<T>(url: string, project: string | undefined, work: Work<T>): Promise<T> {
  const apiKey = process.env['DRYDOCK_API_KEY'];
  if (!apiKey) throw new OperatorProblem('Set DRYDOCK_API_KEY to a key of the service');
  const base = url.replace(/\/+$/, '');
  const baseUrl = base.endsWith('/api/v1') ? base : `${base}/api/v1`;
  const api = createClient({ baseUrl, apiKey });
  return explained(async () => work(api, await projectAt(api, project)));
}

async function projectAt(api: Client, idOrName: string | undefined): Promise<string> {
  const { items } = await api.listProjects({});
  const wanted = idOrName ?? 'Default';
  const found = items.find(({ id }) => id === wanted) ?? items.find(({ name }) => name === wanted);
  if (found) return found.id;
  const known = items.slice(0, 10).map(({ id, name }) => `${name} (${id})`);
  throw new OperatorProblem(`No project ${wanted}. There are: ${known.join(', ') || 'none'}`);
}

/** As the owner of the project. When no service works here, this process does. */
export async function here<S extends Services & { connected: { isServed(): Promise<boolean> } }, T>(
  services: S,
  project: string | undefined,
  work: Work<T>,
  workOn: (services: S) => () => Promise<void>,
): Promise<T> {
  const { projectId, ...account } = await ownerOfProject(services.db, project);
  await services.notifications.start();
  const stop = (await services.connected.isServed()) ? undefined : workOn(services);
  try {
    // Whoever may read the database is let in as the account, and pays from no budget of a key.
    const api = inProcessClient({
      entrance: new Entrance({ services, charge: () => {}, used: () => {} }),
      credential: { kind: 'account', ...account },
      origin: () => configuredOrigin(services.config),
    });
    return await explained(() => work(api, projectId));
  } finally {
    await stop?.();
  }
}

/** A refusal is something that whoever typed the command can mend, unless it is about the service or the target. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal || error instanceof DrydockError)
      throw new OperatorProblem(error.message, { exitCode: exitCodeOf(error) });
    // What `fetch` throws when nobody answers.
    if (error instanceof TypeError && error.cause instanceof Error)
      throw new OperatorProblem(`The service does not answer: ${error.cause.message || error.message}`, {
        exitCode: exitCodes.unreachable,
      });
    throw error;
  }
}

function exitCodeOf({ code }: Refusal | DrydockError): number {
  switch (code) {
    case 'INTERNAL_ERROR':
      return exitCodes.unreachable;
    case 'SERVER_UNREACHABLE':
    case 'TIMEOUT':
    case 'OAUTH_REQUIRED':
    case 'RATE_LIMITED':
      return exitCodes.incomplete;
    default:
      return exitCodes.usage;
  }
}
