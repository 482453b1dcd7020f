import { readFile } from 'node:fs/promises';
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
}

type Given = NonNullable<NonNullable<Parameters<Client['checkServerContract']>[0]>['body']['baseline']>;

export function checkCommand(program: Command, host: Host): void {
  const command = program
    .command('check <server>')
    .description(
      'compare a server, by id, name or URL, with a baseline of it; exits 0 passed, 1 failed, 3 when it cannot be reached',
    )
    .option('--baseline <file>', 'export to compare with; left out, the one that is saved in the service')
    .option('--name <name>', 'what to save a server by URL as; left out, its host')
    .option('--update', 'take the server as it is now for the baseline')
    .addOption(
      new Option('--fail-on <impact>', 'the least that fails')
        .choices(['breaking', 'risky'])
        .default('breaking'),
    );
  reportOptions(placeOptions(command)).action(async (server: string, options: CheckOptions) => {
    const file = options.baseline;
    const baseline = file !== undefined && !options.update ? await readBaseline(file, server) : undefined;
    process.exitCode = await host.withApi(options, async (api, projectId) => {
      const found = await serverNamed(api, projectId, server, options.name);
      const [serverId, name] = [found.id, oneLine(found.name, 200)];
      const place = { projectId, serverId };
      if (options.update) return update(api, place, name, file);
      return check(api, place, { name, asked: server, baseline, options });
    });
  });
}

async function readBaseline(file: string, server: string): Promise<Given> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new OperatorProblem(`Cannot read ${file}: ${error.message}`);
    throw new OperatorProblem(
      `There is no file ${file}. Write it from the server as it is now: drydock check ${server} --baseline ${file} --update`,
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
