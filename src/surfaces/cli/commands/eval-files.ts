import { basename } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import type { LocationOptions } from '../connect/service-location.ts';
import { writeWhole } from '../files.ts';
import { suiteNamed } from '../find.ts';
import type { Host } from '../host.ts';
import { placeOptions } from '../options.ts';
import { printRows } from '../screen/rows.ts';

interface ImportOptions {
  output?: string;
  id?: string;
  name?: string;
  server?: string[];
  model?: string;
}

interface ExportOptions extends LocationOptions {
  output?: string;
  format?: 'yaml' | 'json';
  schemaVersion: '1' | '2';
}

export function evalFileCommands(group: Command, host: Host): void {
  group
    .command('check-file <file>')
    .description('Validate a suite file without a service; exits 2 when it is not valid')
    .action(async (path: string) => {
      const { bytesOf, readFileAt } = await import('../evals/suite-file.ts');
      const { file, sourceHash } = await readFileAt(path, await bytesOf(path));
      const disabled = file.cases.filter((one) => one.disabled).length;
      process.stdout.write(
        `${path}: suite ${file.suite.id}, ${file.cases.length} cases, ${disabled} disabled; ${sourceHash}\n`,
      );
    });
  placeOptions(group.command('export <suite>').description('Export a suite, by ID or name, as a suite file'))
    .option('-o, --output <file>', 'Output file (default: standard output)')
    .addOption(
      new Option('--format <format>', 'File format (default: by file name)').choices(['yaml', 'json']),
    )
    .addOption(
      new Option('--schema-version <version>', 'Schema version of the file').choices(['1', '2']).default('2'),
    )
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
    .description('Convert the configuration of another program to a suite file')
    .addArgument(new Argument('<format>').choices(['promptfoo']))
    .argument('<file>')
    .option('-o, --output <file>', 'Output file (default: standard output)')
    .option('--id <id>', 'ID of the suite (default: from the file name)')
    .option('--name <name>', 'Name of the suite (default: from the file name)')
    .option('--server <name...>', 'Saved servers, if the configuration names none')
    .option('--model <model>', 'Model, if the configuration names none')
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
    // Standard output may be the suite file itself.
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
      screen.write(`Not imported: ${at}: ${why}\n`);
  } catch (error) {
    throw problemAt(path, error) ?? error;
  }
}

async function write(output: string | undefined, text: string): Promise<void> {
  if (output === undefined) return void process.stdout.write(text);
  await writeWhole(output, [text]);
}
