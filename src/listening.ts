import type { FastifyInstance } from 'fastify';
import type { Services } from './domain/context/context.ts';
import { addressOf } from './platform/config/load.ts';
import { type Config, settings } from './platform/config/settings.ts';
import { OperatorProblem } from './platform/problem.ts';

/** Listens, and returns the address. `variable` is the environment variable that sets the port. */
export async function listen(
  app: FastifyInstance,
  place: Pick<Config, 'host' | 'port'> & Partial<Config>,
  variable: string,
): Promise<string> {
  const { host, port } = place;
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw cannotListen(error, { host, port }, { host: settings.host.env, port: variable });
  }
  const address = app.server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return addressOf({ ...place, port: taken });
}

export async function listenForReplicas(tunnels: Services['tunnels'], config: Config): Promise<void> {
  const { replicaHost: host, replicaPort: port } = config;
  const variables = { host: settings.replicaHost.env, port: settings.replicaPort.env };
  await tunnels.listen({ host, port }).catch((error: unknown) => {
    throw cannotListen(error, { host, port }, variables);
  });
}

/** An error that says how to change the address. `variables` are the environment variables that set it. */
function cannotListen(
  error: unknown,
  { host, port }: { host: string; port: number },
  variables: { host: string; port: string },
): OperatorProblem {
  const { code, message } = error as NodeJS.ErrnoException;
  const where = `${host}:${port}`;
  if (code === 'EADDRINUSE')
    return new OperatorProblem(
      `Port ${port} is taken on ${host}. Set ${variables.port} to another one, or to 0 for any`,
    );
  if (code === 'EACCES')
    return new OperatorProblem(`Not allowed to listen on ${where}. Ports below 1024 need root`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new OperatorProblem(`${host} is not an address of this machine. Set ${variables.host}`);
  return new OperatorProblem(`Cannot listen on ${where}: ${message}`);
}
