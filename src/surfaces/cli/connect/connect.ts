import { OperatorProblem } from '../../../platform/problem.ts';
import { type Client, createClient } from '../../client/index.ts';
import { everything } from '../../everything.ts';
import { isId } from '../../naming.ts';
import { theOne } from '../find.ts';
import { asRefused, refusal, senseless, unanswered, unsendable } from '../refused.ts';
import { isDataDirNamed, isInstalledHere } from './data-dir.ts';
import { lightFetch } from './light-fetch.ts';
import { findPlace, originOf, type Place, type PlaceOptions } from './place.ts';

/** Where the operations of a command are carried out. */
export interface Where {
  /** Where people reach the service. */
  origin: string;
  /** `here`: by this process, in an installation that no service runs; `temporary`: in one that ends with the command. */
  kind: 'service' | 'here' | 'temporary';
}

/** What to do when no service is known: refuse, make an installation in this folder, or make one for this command. */
type Otherwise = 'refuse' | 'make' | 'temporary';

export interface ConnectOptions {
  otherwise?: Otherwise;
  /** Use a temporary installation, whatever service is known. */
  alone?: boolean;
}

/** What a command works with: the operations, and the project it is about. */
export interface Connected extends Where {
  api: Client;
  /** Found when it is first asked for. */
  projectId: () => Promise<string>;
}

/** Opens the installation in this folder, or a temporary one. */
export type OpenHere = <T>(
  project: string | undefined,
  work: (connected: Connected) => Promise<T>,
  options?: { temporary?: boolean },
) => Promise<T>;

/** Calls operations of the service that the command means. */
export async function connected<T>(
  options: PlaceOptions,
  openHere: OpenHere,
  work: (connected: Connected) => Promise<T>,
  { otherwise = 'refuse', alone = false }: ConnectOptions = {},
): Promise<T> {
  const place =
    (alone ? undefined : await findPlace(options)) ??
    (otherwise === 'refuse' ? undefined : hereFrom(options));
  if (!place)
    throw new OperatorProblem(
      'No service is known here. Start one with drydock serve, or log in to one: drydock login URL',
    );
  if (place.kind === 'here') {
    // A data directory that the settings name is meant to stay.
    const temporary = alone || (otherwise === 'temporary' && !isInstalledHere() && !isDataDirNamed());
    return explained('this folder', () => openHere(place.project, work, { temporary }));
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
    throw senseless(error, place.baseUrl) ?? error;
  }
}

function hereFrom({ project }: PlaceOptions): Place {
  return { kind: 'here', project, from: 'a new installation here' };
}

/** Those who name no project mean the Default one, or the only one they see. */
async function projectAt(api: Client, { project }: Place): Promise<string> {
  if (project !== undefined && isId(project)) return project;
  const items = await everything(api.listProjects, {});
  if (project === undefined) {
    const [only] = items;
    const usual = items.filter(({ name }) => name === 'Default');
    if (usual.length === 1) return (usual[0] as { id: string }).id;
    if (only && items.length === 1) return only.id;
    if (items.length === 0)
      throw new OperatorProblem('The key sees no project. Make one with: drydock projects create');
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
    throw (refused && refusal(refused)) ?? unanswered(error, where) ?? unsendable(error) ?? error;
  }
}
