import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { PlaceOptions } from '../connect/place.ts';
import { suiteNamed } from '../evals/find-suite.ts';
import type { Host } from '../host.ts';
import { placeOptions } from '../reports/options.ts';
import { printRows } from '../screen/rows.ts';

interface ImportOptions {
  output?: string;
  id?: string;
  name?: string;
  server?: string[];
  model?: string;
}

interface ExportOptions extends PlaceOptions {
  output?: string;
  format?: 'yaml' | 'json';
  schemaVersion: '1' | '2';
}

/** Suite files on this machine: made, checked, and written from a suite. */
export function evalFileCommands(group: Command, host: Host): void {
  group
    .command('check-file <file>')
    .description('check a suite file without a service; exits 2 when it has problems')
    .action(async (path: string) => {
      const { bytesOf, readFileAt } = await import('../evals/suite-file.ts');
      const { file, sourceHash } = await readFileAt(path, await bytesOf(path));
      const disabled = file.cases.filter((one) => one.disabled).length;
      process.stdout.write(
        `${path}: suite ${file.suite.id}, ${file.cases.length} cases, ${disabled} of them disabled; ${sourceHash}\n`,
      );
    });
  placeOptions(group.command('export <suite>').description('write a suite, by id or name, as a suite file'))
    .option('-o, --output <file>', 'where to; left out, to standard output')
    .addOption(new Option('--format <format>', 'left out, by the name of the file').choices(['yaml', 'json']))
    .addOption(new Option('--schema-version <version>', 'of the file').choices(['1', '2']).default('2'))
    .action(async (suite: string, options: ExportOptions) => {
      const { output, schemaVersion } = options;
      const format = options.format ?? (/\.json$/i.test(output ?? '') ? 'json' : 'yaml');
      const text = await host.withApi(options, async (api, projectId) => {
        const { id: suiteId } = await suiteNamed(api, projectId, suite);
        const response = await api.exportEvalSuiteFile({ projectId, suiteId, format, schemaVersion });
        return response.text();
      });
      await write(output, text);
    });
  group
    .command('import')
    .description('make a suite file from a configuration of another program')
    .addArgument(new Argument('<format>').choices(['promptfoo']))
    .argument('<file>')
    .option('-o, --output <file>', 'where to; left out, to standard output')
    .option('--id <id>', 'of the suite; left out, from the name of the file')
    .option('--name <name>', 'of the suite; left out, from the name of the file')
    .option('--server <name...>', 'saved servers, where the configuration names none')
    .option('--model <model>', 'where the configuration names none')
    .action((_format: string, path: string, options: ImportOptions) => importFile(path, options));
}

async function importFile(path: string, options: ImportOptions): Promise<void> {
  const [{ bytesOf, problemAt }, { importPromptfoo }, { readConfiguration }, { writeSuiteFile }] =
    await Promise.all([
      import('../evals/suite-file.ts'),
      import('../../../suite-files/promptfoo.ts'),
      import('../../../suite-files/read.ts'),
      import('../../../suite-files/write.ts'),
    ]);
  const bytes = await bytesOf(path);
  const name = basename(path).replace(/\.[^.]*$/, '');
  const { output, server: servers = [], model } = options;
  try {
    const { value, sourceHash } = readConfiguration(bytes, { fileName: path });
    const { file, report } = importPromptfoo(value, {
      suiteId: options.id ?? (name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 128) || 'suite'),
      name: options.name ?? name,
      servers,
      sourceHash,
      ...(model !== undefined && { model }),
    });
    await write(output, writeSuiteFile(file));
    // The table must not stand in the file.
    const screen = output === undefined ? process.stderr : process.stdout;
    printRows(
      file.cases,
      {
        Case: ({ id }) => id,
        Status: (one) => one.import?.status,
        Note: (one) => one.import?.note?.slice(0, 200),
      },
      false,
      screen,
    );
    const { exact, approximated, unsupported } = report.cases;
    screen.write(`\n${exact} exact, ${approximated} approximated, ${unsupported} unsupported\n`);
    for (const { path: at, why } of report.notCarried.slice(0, 100))
      screen.write(`Not carried over: ${at}: ${why}\n`);
  } catch (error) {
    throw problemAt(path, error) ?? error;
  }
}

async function write(output: string | undefined, text: string): Promise<void> {
  if (output === undefined) return void process.stdout.write(text);
  await writeFile(output, text).catch((error: Error) => {
    throw new OperatorProblem(`Cannot write ${output}: ${error.message}`);
  });
}
