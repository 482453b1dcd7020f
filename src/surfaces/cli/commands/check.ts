import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { Refusal } from '../../../contract/errors.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { type Client, DrydockError } from '../../client/index.ts';
import { oneLine } from '../../harmless-text.ts';
import {
  type ContractCheck,
  contractReport,
  printContract,
  unreachedReport,
} from '../checks/contract-report.ts';
import { serverNamed } from '../checks/server-named.ts';
import type { PlaceOptions } from '../connect/place.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { placeOptions, reportOptions } from '../reports/options.ts';
import { printsJson, type ReportFiles, writeReports } from '../reports/write.ts';
import { progress } from '../screen/screen.ts';
import { writeWhole } from '../whole-file.ts';

interface CheckOptions extends ReportFiles, PlaceOptions {
  baseline?: string;
  update?: true;
  failOn: 'breaking' | 'risky';
  name?: string;
  env?: string[];
}

type Given = NonNullable<NonNullable<Parameters<Client['checkServerContract']>[0]>['body']['baseline']>;

export function checkCommand(program: Command, host: Host): void {
  const command = program
    .command('check [server] [command...]')
    .usage('[options] <server> | [options] -- <command> [args...]')
    .description(
      'compare a server, by id, name or URL, with a baseline of it; exits 0 passed, 1 failed, 3 when it cannot be reached. Behind -- a command is run as a stdio server, in a temporary service that is removed afterwards',
    )
    .option('--baseline <file>', 'export to compare with; left out, the one that is saved in the service')
    .option('--name <name>', 'what to save a server by URL as; left out, its host')
    .option('--env <name...>', 'variables of this environment that the command behind -- is given')
    .option('--update', 'take the server as it is now for the baseline')
    .addOption(
      new Option('--fail-on <impact>', 'the least that fails')
        .choices(['breaking', 'risky'])
        .default('breaking'),
    );
  reportOptions(placeOptions(command)).action(
    async (given: string | undefined, more: string[], options: CheckOptions) => {
      const behind = wordsBehindDashes(program);
      const asked = behind ? `-- ${behind.join(' ')}` : (given ?? '');
      const file = options.baseline;
      const words = given === undefined ? 0 : 1 + more.length;
      if (words > (behind?.length ?? 1))
        throw new OperatorProblem('Name one server, or a command behind --, not both');
      if (behind) refuseUnkept(behind, asked, options);
      else if (given === undefined) throw new OperatorProblem('Name a server, or a command behind --');
      const baseline = file !== undefined && !options.update ? await readBaseline(file, asked) : undefined;
      const act = async (api: Client, projectId: string): Promise<number> => {
        const found = behind
          ? await api.createProjectServer({ projectId, body: stdioServer(behind, options) })
          : await serverNamed(api, projectId, asked, options.name);
        const [serverId, name] = [found.id, oneLine(found.name, 200)];
        const place = { projectId, serverId };
        if (options.update) return update(api, place, name, file);
        return check(api, place, { name, asked, baseline, options });
      };
      process.exitCode = await host.withApi(options, act, behind ? { alone: true } : {});
    },
  );
}

/** The command behind `--`, where there is one. */
function wordsBehindDashes(program: Command): string[] | undefined {
  const words = (program as Command & { rawArgs: string[] }).rawArgs;
  const at = words.indexOf('--');
  return at === -1 ? undefined : words.slice(at + 1);
}

/** A command runs on this machine, in a service that does not stay. */
function refuseUnkept(behind: string[], asked: string, options: CheckOptions): void {
  if (behind.length === 0) throw new OperatorProblem('Write the command behind --');
  if (options.service !== undefined || options.profile !== undefined)
    throw new OperatorProblem(
      'A command behind -- runs on this machine, not in the service. Leave --service and --profile out, or save the server there',
    );
  if (options.baseline === undefined)
    throw new OperatorProblem(
      `Name the file of the baseline: nothing else stays of a command. Write it with: drydock check ${updating(asked, 'FILE')}`,
    );
}

function stdioServer([command = '', ...args]: string[], { name, env = [] }: CheckOptions) {
  const missing = env.find((variable) => process.env[variable] === undefined);
  if (missing !== undefined) throw new OperatorProblem(`--env ${missing}: the variable is not set`);
  return {
    name: name ?? (basename(command) || 'command'),
    command,
    args,
    env: Object.fromEntries(env.map((variable) => [variable, process.env[variable] ?? ''])),
  };
}

/** The words of the command that writes a baseline. */
function updating(server: string, file: string): string {
  const options = `--baseline ${file} --update`;
  return server.startsWith('-- ') ? `${options} ${oneLine(server, 200)}` : `${server} ${options}`;
}

async function readBaseline(file: string, server: string): Promise<Given> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new OperatorProblem(`Cannot read ${file}: ${error.message}`);
    throw new OperatorProblem(
      `There is no file ${file}. Write it from the server as it is now: drydock check ${updating(server, file)}`,
    );
  });
  try {
    const parsed = JSON.parse(text) as Given | null;
    if (Array.isArray(parsed?.tools)) return parsed;
  } catch {
    // It is said below.
  }
  throw new OperatorProblem(`${file} is no export of a server`);
}

interface Place {
  projectId: string;
  serverId: string;
}

async function update(api: Client, place: Place, name: string, file: string | undefined): Promise<number> {
  if (file === undefined) {
    const { hash } = await api.setServerContractBaseline({ ...place, body: {} });
    process.stdout.write(`Saved the baseline of ${name}: ${hash}\n`);
    return exitCodes.passed;
  }
  // Without what changes with every export, so that an unchanged server leaves the file as it is.
  const {
    serverId: _id,
    exportedAt: _at,
    initInfo: _info,
    ...content
  } = await api.exportServer({ ...place, body: {} });
  await writeWhole(file, [`${JSON.stringify(content, null, 2)}\n`]);
  process.stdout.write(`Wrote ${file}: ${name} with ${content.tools.length} tools, ${content.contentHash}\n`);
  return exitCodes.passed;
}

interface Checked {
  name: string;
  /** As the server was named on the command line. */
  asked: string;
  baseline: Given | undefined;
  options: CheckOptions;
}

async function check(
  api: Client,
  place: Place,
  { name, asked, baseline, options }: Checked,
): Promise<number> {
  const { say, end } = progress();
  say(`Checking ${name}`);
  const body = { failOn: options.failOn, ...(baseline && { baseline }) };
  const answer = await reported(`Contract of ${name}`, name, options, end, async () => {
    try {
      return await api.checkServerContract({ ...place, body });
    } catch (error) {
      if (reasonOf(error) !== 'BASELINE_NOT_FOUND') throw error;
      throw new OperatorProblem(
        `No baseline of ${name} is saved. Save it as it is now with drydock check ${asked} --update, or name a file with --baseline`,
      );
    }
  });
  if (!printsJson(options)) printContract(answer);
  await writeReports(contractReport(name, answer), answer, options);
  return exitCodes[answer.result satisfies ContractCheck['result']];
}

/** Does it, and leaves a report also when the target cannot be reached: CI shows it where it shows the others. */
export async function reported<T>(
  title: string,
  name: string,
  files: ReportFiles,
  end: () => void,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    end();
    if (error instanceof Refusal || error instanceof DrydockError) {
      const { code, message } = error;
      await writeReports(unreachedReport(title, name, message), { error: { code, message } }, files);
    }
    throw error;
  } finally {
    end();
  }
}

function reasonOf(error: unknown): unknown {
  if (!(error instanceof Refusal || error instanceof DrydockError)) return undefined;
  return (error.details as { reason?: unknown } | undefined)?.reason;
}
