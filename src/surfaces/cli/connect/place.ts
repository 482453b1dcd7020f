import { serviceIn } from '../../../platform/local-service.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { dataDirHere, isInstalledHere } from './data-dir.ts';
import { keyOf, type Profile, profileNamed, readProfiles } from './profiles.ts';

/** How the command line says which service it means. */
export interface PlaceOptions {
  /** An address. */
  service?: string;
  /** A login. */
  profile?: string;
  /** A project, by id or name. */
  project?: string;
}

export type Place =
  | { kind: 'service'; baseUrl: string; apiKey: string; project: string | undefined; from: string }
  /** The installation in this folder, opened by this process. */
  | { kind: 'here'; project: string | undefined; from: string };

/**
 * Which service a command talks to: the address that is named, the login that is named, the service that runs in this
 * folder, the login that is current, the installation in this folder.
 */
export async function findPlace(
  options: PlaceOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Place | undefined> {
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
        from: 'the service that runs here',
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

/** The key in the environment, or of a login at the same address. One on the command line would be seen by others. */
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

/** An address as people write it: with or without the path of the API. */
export function originOf(url: string): string {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new OperatorProblem(`${url} is no address. Write it like http://127.0.0.1:4700`);
  if (new URL(url).username !== '' || new URL(url).password !== '')
    throw new OperatorProblem('The address holds a user or a password. A key is given in DRYDOCK_API_KEY');
  return url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

export function baseUrlOf(url: string): string {
  return `${originOf(url)}/api/v1`;
}
