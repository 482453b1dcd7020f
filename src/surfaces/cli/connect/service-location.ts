import { serviceIn } from '../../../platform/local-service.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { dataDirHere, isInstalledHere } from './data-dir.ts';
import { keyOf, type Profile, profileNamed, readProfiles } from './profiles.ts';

/** The options that select a service and a project. */
export interface LocationOptions {
  service?: string;
  profile?: string;
  project?: string;
}

export const noService =
  'No service is configured. Start one with drydock serve, or log in: drydock login URL';

export type ServiceLocation =
  | { kind: 'service'; baseUrl: string; apiKey: string; project: string | undefined; from: string }
  /** The installation in this folder, opened by this process. */
  | { kind: 'here'; project: string | undefined; from: string };

/**
 * Selects the service, in this order: the given URL, the given login, the service running in this folder, the current
 * login, the installation in this folder.
 */
export async function findService(
  options: LocationOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServiceLocation | undefined> {
  const project = options.project ?? (env['DRYDOCK_PROJECT'] || undefined);
  const url = options.service ?? (env['DRYDOCK_URL'] || undefined);
  if (url !== undefined) {
    const from = options.service === undefined ? 'DRYDOCK_URL' : '--service';
    return { kind: 'service', baseUrl: baseUrlOf(url), apiKey: await keyFor(url, env), project, from };
  }
  const wanted = options.profile ?? (env['DRYDOCK_PROFILE'] || undefined);
  if (wanted === undefined) {
    const running = serviceIn(dataDirHere(env));
    if (running)
      return {
        kind: 'service',
        baseUrl: baseUrlOf(running.url),
        apiKey: running.token,
        project,
        from: 'the service running here',
      };
  }
  const login = await profileNamed(wanted);
  if (login) {
    const { name, profile } = login;
    return {
      kind: 'service',
      baseUrl: baseUrlOf(profile.url),
      apiKey: env['DRYDOCK_API_KEY'] || (await keyOf(name, profile)),
      project: project ?? profile.project,
      from: `the profile ${name}`,
    };
  }
  return isInstalledHere(env) ? { kind: 'here', project, from: 'the installation here' } : undefined;
}

/** The key from the environment, or of a login at the same URL. An argument would be visible to other users. */
async function keyFor(url: string, env: NodeJS.ProcessEnv): Promise<string> {
  const key = env['DRYDOCK_API_KEY'];
  if (key) return key;
  const { profiles } = await readProfiles();
  const known = Object.entries(profiles).find(
    ([, profile]: [string, Profile]) => originOf(profile.url) === originOf(url),
  );
  if (known) return keyOf(...known);
  throw new OperatorProblem(
    `Set DRYDOCK_API_KEY to a key of ${originOf(url)}, or log in: drydock login ${originOf(url)}`,
  );
}

/** The origin of a URL that is given with or without the path of the API. */
export function originOf(url: string): string {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new OperatorProblem(`${url} is not a URL. Use one like http://127.0.0.1:4700`);
  if (new URL(url).username !== '' || new URL(url).password !== '')
    throw new OperatorProblem('The URL contains credentials. Set the key in DRYDOCK_API_KEY instead');
  return url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

export function baseUrlOf(url: string): string {
  return `${originOf(url)}/api/v1`;
}
