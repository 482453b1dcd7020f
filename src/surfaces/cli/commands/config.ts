import type { Command } from 'commander';
import { type SettingName, settings } from '../../../platform/config/settings.ts';
import { shownSetting } from '../../../platform/config/shown.ts';
import { telemetryReference } from '../../../platform/telemetry/variables.ts';
import type { Host } from '../host.ts';
import { printRows } from '../screen/rows.ts';

export function configCommand(program: Command, host: Host): void {
  program
    .command('config')
    .description('print every setting with its effective value; secrets are not shown')
    .option('--json', 'print JSON')
    .option('--reference', 'print the reference page instead')
    .action(async (options: { json?: true; reference?: true }) => {
      if (options.reference) return void process.stdout.write(settingsReference());
      const { config, sources, unknown } = await host.load();
      const rows = (Object.keys(settings) as SettingName[]).map((name) => ({
        name: settings[name].env,
        value: shownSetting(name, config[name]),
        source: sources[name],
      }));
      printRows(
        rows,
        { Setting: (row) => row.name, Value: (row) => row.value, From: (row) => row.source },
        options.json ?? false,
      );
      for (const name of unknown) process.stderr.write(`drydock: ${name} is not a setting\n`);
    });
}

/** docs/configuration.md is this text; a test keeps the two together. */
export function settingsReference(): string {
  const rows = Object.entries(settings).map(([name, { env, schema, fallback, meaning }]) => {
    const parsed = schema.safeParse(undefined);
    const value = fallback ?? (parsed.success ? shownSetting(name as SettingName, parsed.data) : '');
    return `| \`${env}\` | \`${name}\` | ${value} | ${meaning} |`;
  });
  return `# Settings

Set them in the environment, or in a JSON file with the names of the second column: \`drydock.config.json\` in the
working directory, or the file \`DRYDOCK_CONFIG_FILE\` names. The environment wins. \`drydock config\` prints what is in
force. This page is made by \`drydock config --reference\`.

| Variable | In the file | Default | Meaning |
|---|---|---|---|
${rows.join('\n')}

## OpenTelemetry

Traces and metrics are sent over OTLP when the environment names a collector; see
[Watching it](operating.md#watching-it). These standard variables are honoured, in the environment only:

| Variable | Default | Meaning |
|---|---|---|
${telemetryReference()
  .map(([name, value, meaning]) => `| \`${name}\` | ${value} | ${meaning} |`)
  .join('\n')}
`;
}
