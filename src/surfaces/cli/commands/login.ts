import type { Command } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import { type Client, createClient } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { askSecret } from '../ask-secret.ts';
import { lightFetch } from '../connect/light-fetch.ts';
import {
  profilesPath,
  readProfiles,
  removeProfile,
  saveProfile,
  selectProfile,
} from '../connect/profiles.ts';
import {
  baseUrlOf,
  findService,
  type LocationOptions,
  noService,
  originOf,
} from '../connect/service-location.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { jsonOption, prints, serviceOptions } from '../options.ts';
import { asRefused, noResponse, refusal, unexpectedResponse, unsendableValue } from '../refused.ts';
import { jsonText } from '../screen/json.ts';

export function loginCommands(program: Command, host: Host): void {
  loginCommand(program);
  program
    .command('logout [profile]')
    .description('Forget the URL and the key of a service')
    .action(async (given: string | undefined) => {
      const name = given ?? (await readProfiles()).current;
      if (name === undefined) throw new OperatorProblem('You are not logged in');
      await removeProfile(name);
      process.stdout.write(`Logged out of ${name}. The key stays valid until the operator revokes it.\n`);
    });
  profileCommands(program.command('profiles'));
  whoamiCommand(program, host);
}

function loginCommand(program: Command): void {
  program
    .command('login [url]')
    .description(
      'Log in to a service and make it the current one; prompts for the key, or reads it from stdin',
    )
    .option('--profile <name>', 'Name of the login (default: the host)')
    .option('--project <project>', 'Default project for commands')
    .action(async (given: string | undefined, options: { profile?: string; project?: string }) => {
      const url = originOf(given ?? (process.env['DRYDOCK_URL'] || 'http://127.0.0.1:4700'));
      const apiKey = process.env['DRYDOCK_API_KEY'] || (await askSecret(`Key for ${url}: `));
      if (!apiKey)
        throw new OperatorProblem(
          'The key is empty. drydock serve prints the first key; the operator creates others with: drydock keys create',
        );
      const api = createClient({ baseUrl: baseUrlOf(url), apiKey, fetch: lightFetch });
      const whose = await tried(url, async () => oneLine((await api.getMe()).email, 200));
      const name = options.profile ?? new URL(url).host;
      const project = options.project === undefined ? {} : { project: options.project };
      const where = await saveProfile(name, { url, ...project }, apiKey);
      const kept =
        where === 'keyring' ? 'in the system keyring' : `in ${profilesPath()}, which only you can read`;
      process.stdout.write(`Logged in to ${url} as ${whose}. The key is ${kept}.\n`);
    });
}

async function tried<T>(url: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const refused = asRefused(error);
    throw (
      (refused && refusal(refused, 'The login was not saved.')) ??
      noResponse(error, url) ??
      unsendableValue(error) ??
      unexpectedResponse(error, url) ??
      error
    );
  }
}

function profileCommands(group: Command): void {
  prints(
    group.command('list').description('List logins'),
    async () => {
      const { current, profiles } = await readProfiles();
      return Object.entries(profiles).map(([name, { url, project, apiKey }]) => ({
        name,
        url,
        project: project ?? null,
        key: apiKey === undefined ? 'keyring' : 'file',
        current: name === current,
      }));
    },
    {
      Name: (row) => row.name,
      Address: (row) => row.url,
      Project: (row) => row.project,
      Key: (row) => row.key,
      Current: (row) => (row.current ? 'yes' : ''),
    },
  );
  group
    .command('use <profile>')
    .description('Make a login the current one')
    .action(async (name: string) => {
      await selectProfile(name);
      process.stdout.write(`Using ${name}.\n`);
    });
}

function whoamiCommand(program: Command, host: Host): void {
  jsonOption(serviceOptions(program.command('whoami'))).action(
    async (options: LocationOptions & { json?: true }) => {
      const place = await findService(options);
      if (!place) throw new OperatorProblem(noService, { exitCode: exitCodes.unreachable });
      const { me, organization } = await host.connect(options, async ({ api }) => account(api));
      const shown = {
        service: place.kind === 'service' ? originOf(place.baseUrl) : 'opened by this process',
        from: place.from,
        account: me.email,
        organization: organization?.name ?? null,
      };
      if (options.json) return void process.stdout.write(`${jsonText(shown, process.stdout, 2)}\n`);
      const member = shown.organization === null ? '' : ` of ${oneLine(shown.organization, 200)}`;
      process.stdout.write(`${oneLine(shown.account, 200)}${member}, at ${shown.service} (${shown.from})\n`);
    },
  );
}

async function account(api: Client) {
  const [me, { items }] = await Promise.all([api.getMe(), api.listOrganizations({})]);
  return { me, organization: items[0] };
}
