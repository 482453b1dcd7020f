import { OperatorProblem } from '../../../platform/problem.ts';
import { type Client, createClient } from '../../client/index.ts';
import { everything } from '../../common/everything.ts';
import { isId } from '../../common/naming.ts';
import { theOne } from '../find.ts';
import { asRefused, noResponse, refusal, unexpectedResponse, unsendableValue } from '../refused.ts';
import { isDataDirNamed, isInstalledHere } from './data-dir.ts';
import { lightFetch } from './light-fetch.ts';
import {
  findService,
  type LocationOptions,
  noService,
  originOf,
  type ServiceLocation,
} from './service-location.ts';

/** Where a command calls operations. */
export interface Where {
  /** The public origin of the service. */
  origin: string;
  /**
   * `here`: this process opens an installation without a running service; `temporary`: the installation is removed
   * afterwards.
   */
  kind: 'service' | 'here' | 'temporary';
}

/** Without a service: fail, create an installation in this folder, or create a temporary one. */
type Otherwise = 'refuse' | 'make' | 'temporary';

export interface ConnectOptions {
  otherwise?: Otherwise;
  /** Use a temporary installation even when a service is configured. */
  alone?: boolean;
}

export interface Connected extends Where {
  api: Client;
  /** Looked up on first use. */
  projectId: () => Promise<string>;
}

export type OpenHere = <T>(
  project: string | undefined,
  work: (connected: Connected) => Promise<T>,
  options?: { temporary?: boolean },
) => Promise<T>;

/** Connects to the selected service, or opens an installation, and translates API errors. */
export async function connected<T>(
  options: LocationOptions,
  openHere: OpenHere,
  work: (connected: Connected) => Promise<T>,
  { otherwise = 'refuse', alone = false }: ConnectOptions = {},
): Promise<T> {
  const place =
    (alone ? undefined : await findService(options)) ??
    (otherwise === 'refuse' ? undefined : { kind: 'here' as const, project: options.project });
  if (!place) throw new OperatorProblem(noService);
  if (place.kind === 'here') {
    // A configured data directory is meant to be kept.
    const temporary = alone || (otherwise === 'temporary' && !isInstalledHere() && !isDataDirNamed());
    return explained('the installation in this folder', () => openHere(place.project, work, { temporary }));
  }
  const api = createClient({ baseUrl: place.baseUrl, apiKey: place.apiKey, fetch: lightFetch });
  try {
    return await explained(place.baseUrl, () =>
      work({
        api,
        projectId: once(() => projectAt(api, place)),
        origin: originOf(place.baseUrl),
        kind: 'service',
      }),
    );
  } catch (error) {
    throw unexpectedResponse(error, place.baseUrl) ?? error;
  }
}

/** The named project; otherwise the Default one, or the only one. */
async function projectAt(api: Client, { project }: ServiceLocation): Promise<string> {
  if (project !== undefined && isId(project)) return project;
  const items = await everything(api.listProjects, {});
  if (project === undefined) {
    const [only] = items;
    const usual = items.filter(({ name }) => name === 'Default');
    if (usual.length === 1) return (usual[0] as { id: string }).id;
    if (only && items.length === 1) return only.id;
    if (items.length === 0)
      throw new OperatorProblem(
        'The account of this key has no project. Create one with: drydock projects create',
      );
  }
  return theOne('project', project ?? 'Default', items).id;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

async function explained<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refused = asRefused(error);
    throw (refused && refusal(refused)) ?? noResponse(error, where) ?? unsendableValue(error) ?? error;
  }
}
