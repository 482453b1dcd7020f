import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { Client } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import {
  type ContractCheck,
  contractNotes,
  contractReport,
  unreachedReport,
} from '../checks/contract-report.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import { exitCodes } from '../exit-codes.ts';
import { readJsonObject, writeWhole } from '../files.ts';
import { serverNamed } from '../find.ts';
import type { Host } from '../host.ts';
import { placeOptions, reportOptions } from '../options.ts';
import { asRefused } from '../refused.ts';
import { printReport } from '../reports/print.ts';
import { publishReport, type ReportFiles, writeReports } from '../reports/write.ts';
import { progress } from '../screen/screen.ts';

interface CheckOptions extends ReportFiles, LocationOptions {
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
      'Compare a server, by ID, name or URL, with its baseline; exits 0 passed, 1 failed, 3 when it is unreachable. A command after -- is run as a stdio server in a temporary service',
    )
    .option('--baseline <file>', 'Exported baseline (default: the one saved in the service)')
    .option('--name <name>', 'Name for a server saved by URL (default: its host)')
    .option(
      '--env <name...>',
      'Names of environment variables to pass from this shell to the command after --',
    )
    .option('--update', "Save the server's current contract as the baseline")
    .addOption(
      new Option('--fail-on <impact>', 'Lowest impact that fails the check')
        .choices(['breaking', 'risky'])
        .default('breaking'),
    );
  reportOptions(placeOptions(command)).action(
    async (given: string | undefined, more: string[], options: CheckOptions) => {
      const behind = commandAfterDashes(program);
      const asked = behind ? `-- ${behind.join(' ')}` : (given ?? '');
      const file = options.baseline;
      const words = given === undefined ? 0 : 1 + more.length;
      if (words > (behind?.length ?? 1))
        throw new OperatorProblem('Name a server or a command after --, not both');
      if (behind) refuseUnsupported(behind, asked, options);
      else if (given === undefined) throw new OperatorProblem('Name a server, or a command after --');
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

/** The command after `--`. */
function commandAfterDashes(program: Command): string[] | undefined {
  const words = (program as Command & { rawArgs: string[] }).rawArgs;
  const at = words.indexOf('--');
  return at === -1 ? undefined : words.slice(at + 1);
}

/** Rejects options that a temporary service on this machine cannot honor. */
function refuseUnsupported(behind: string[], asked: string, options: CheckOptions): void {
  if (behind.length === 0) throw new OperatorProblem('Name the command after --');
  if (options.service !== undefined || options.profile !== undefined)
    throw new OperatorProblem(
      'A command after -- runs on this machine, not in the service. Remove --service and --profile, or save the server in the service',
    );
  if (options.baseline === undefined)
    throw new OperatorProblem(
      `A command after -- needs a baseline file. Create it: drydock check ${updateArguments(asked, 'FILE')}`,
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

/** The arguments that write a baseline. */
function updateArguments(server: string, file: string): string {
  const options = `--baseline ${file} --update`;
  return server.startsWith('-- ') ? `${options} ${oneLine(server, 200)}` : `${server} ${options}`;
}

async function readBaseline(file: string, server: string): Promise<Given> {
  const hint = `. Create it: drydock check ${updateArguments(server, file)}`;
  const baseline = await readJsonObject(file, hint);
  if (Array.isArray(baseline['tools'])) return baseline as unknown as Given;
  throw new OperatorProblem(`${file} is not an export of a server`);
}

interface ServiceLocation {
  projectId: string;
  serverId: string;
}

async function update(
  api: Client,
  place: ServiceLocation,
  name: string,
  file: string | undefined,
): Promise<number> {
  if (file === undefined) {
    const { hash } = await api.setServerContractBaseline({ ...place, body: {} });
    process.stdout.write(`Saved the baseline of ${name}: ${hash}\n`);
    return exitCodes.passed;
  }
  // Omits the fields that change with every export, so that an unchanged server gives an unchanged file.
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
  /** The server as it was given on the command line. */
  asked: string;
  baseline: Given | undefined;
  options: CheckOptions;
}

async function check(
  api: Client,
  place: ServiceLocation,
  { name, asked, baseline, options }: Checked,
): Promise<number> {
  const { say, end } = progress();
  say(`Checking ${name}`);
  const body = { failOn: options.failOn, ...(baseline && { baseline }) };
  const answer = await reported(`Contract of ${name}`, name, options, end, async () => {
    try {
      return await api.checkServerContract({ ...place, body });
    } catch (error) {
      if (asRefused(error)?.details?.['reason'] !== 'BASELINE_NOT_FOUND') throw error;
      throw new OperatorProblem(
        `${name} has no baseline. Save one with drydock check ${asked} --update, or name a file with --baseline`,
      );
    }
  });
  const report = contractReport(name, answer);
  await publishReport(report, answer, options, () => printReport(report, contractNotes(answer)));
  return exitCodes[answer.result satisfies ContractCheck['result']];
}

/** Runs a check. When the API refuses it, the report files contain the error, so that CI shows it. */
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
    const refused = asRefused(error);
    if (refused) {
      const { code, message } = refused;
      await writeReports(unreachedReport(title, name, message), { error: { code, message } }, files);
    }
    throw error;
  } finally {
    end();
  }
}
