import type { Command } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import { type Client, createClient } from '../../client/index.ts';
import { oneLine } from '../../harmless-text.ts';
import { askSecret } from '../ask-secret.ts';
import { lightFetch } from '../connect/light-fetch.ts';
import { baseUrlOf, findPlace, originOf, type PlaceOptions } from '../connect/place.ts';
import {
  profilesPath,
  readProfiles,
  removeProfile,
  saveProfile,
  selectProfile,
} from '../connect/profiles.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { asRefused, refusal, senseless, unanswered, unsendable } from '../refused.ts';
import { jsonText } from '../screen/json.ts';
import { printRows } from '../screen/rows.ts';

export function loginCommands(program: Command, host: Host): void {
  loginCommand(program);
  program
    .command('logout [profile]')
    .description('forget the address and the key of a service')
    .action(async (given: string | undefined) => {
      const name = given ?? (await readProfiles()).current;
      if (name === undefined) throw new OperatorProblem('Not logged in anywhere');
      await removeProfile(name);
      process.stdout.write(`Forgot ${name}. The key still works until the operator revokes it.\n`);
    });
  profileCommands(program.command('profiles').description('services one has logged in to'));
  whoamiCommand(program, host);
}

function loginCommand(program: Command): void {
  program
    .command('login [url]')
    .description(
      'keep the address and the key of a service, and use it from now on; the key is asked for, or read from the standard input',
    )
    .option('--profile <name>', 'what to call it; left out, the host')
    .option('--project <project>', 'the project that commands mean when they name none')
    .action(async (given: string | undefined, options: { profile?: string; project?: string }) => {
      const url = originOf(given ?? (process.env['DRYDOCK_URL'] || 'http://127.0.0.1:4700'));
      const apiKey = process.env['DRYDOCK_API_KEY'] || (await askSecret(`Key for ${url}: `));
      if (!apiKey)
        throw new OperatorProblem(
          'No key was given. drydock serve prints the first one; the operator makes others with: drydock keys create',
        );
      const api = createClient({ baseUrl: baseUrlOf(url), apiKey, fetch: lightFetch });
      const whose = await tried(url, async () => oneLine((await api.getMe()).email, 200));
      const name = options.profile ?? new URL(url).host;
      const project = options.project === undefined ? {} : { project: options.project };
      const where = await saveProfile(name, { url, ...project }, apiKey);
      const kept =
        where === 'keyring'
          ? 'in the keyring of this system'
          : `in ${profilesPath()}, which only you may read`;
      process.stdout.write(`Logged in to ${url} as ${whose}. The key is ${kept}.\n`);
    });
}

async function tried<T>(url: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const refused = asRefused(error);
    throw (
      (refused && refusal(refused, 'Nothing was kept.')) ??
      unanswered(error, url) ??
      unsendable(error) ??
      senseless(error, url) ??
      error
    );
  }
}

function profileCommands(group: Command): void {
  group
    .command('list')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { current, profiles } = await readProfiles();
      const rows = Object.entries(profiles).map(([name, { url, project, apiKey }]) => ({
        name,
        url,
        project: project ?? null,
        key: apiKey === undefined ? 'keyring' : 'file',
        current: name === current,
      }));
      printRows(
        rows,
        {
          Name: (row) => row.name,
          Address: (row) => row.url,
          Project: (row) => row.project,
          Key: (row) => row.key,
          Current: (row) => (row.current ? 'yes' : ''),
        },
        json ?? false,
      );
    });
  group
    .command('use <profile>')
    .description('use this one from now on')
    .action(async (name: string) => {
      await selectProfile(name);
      process.stdout.write(`Using ${name}.\n`);
    });
}

function whoamiCommand(program: Command, host: Host): void {
  program
    .command('whoami')
    .description('which service commands talk to, and as whom')
    .option('--service <url>', 'address of the service')
    .option('--profile <name>', 'which login to use')
    .option('--json', 'print JSON')
    .action(async (options: PlaceOptions & { json?: true }) => {
      const place = await findPlace(options);
      if (!place)
        throw new OperatorProblem(
          'No service is known here. Start one with drydock serve, or log in to one: drydock login URL',
          {
            exitCode: exitCodes.unreachable,
          },
        );
      const { me, organization } = await host.connect(options, async ({ api }) => account(api));
      const told = {
        service: place.kind === 'service' ? originOf(place.baseUrl) : 'opened by this process',
        from: place.from,
        account: me.email,
        organization: organization?.name ?? null,
      };
      if (options.json) return void process.stdout.write(`${jsonText(told, process.stdout, 2)}\n`);
      process.stdout.write(
        `${oneLine(told.account, 200)}${told.organization === null ? '' : ` of ${oneLine(told.organization, 200)}`}, at ${told.service} (${told.from})\n`,
      );
    });
}

async function account(api: Client) {
  const [me, { items }] = await Promise.all([api.getMe(), api.listOrganizations({})]);
  return { me, organization: items[0] };
}
