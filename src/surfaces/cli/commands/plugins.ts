import type { Command } from 'commander';
import { enablePlugin, installPlugin, listPlugins, removePlugin } from '../../../domain/operator/plugins.ts';
import { pluginBounds } from '../../../domain/plugins/parse.ts';
import { readBundle } from '../../../platform/archive.ts';
import type { Host } from '../host.ts';
import { printRows } from '../screen/rows.ts';
import { time } from '../screen/text.ts';

export function pluginCommands(program: Command, host: Host): void {
  const group = program.command('plugins').description('bundles of servers and skills');
  const at = (command: Command): Command =>
    command.option('--project <project>', 'project, by id or name; the Default project when left out');
  at(group.command('install <bundle>'))
    .description(
      'install a plugin, or a new version of it, from a folder with a plugin.json or a .tar.gz of one',
    )
    .action(async (bundle: string, options: { project?: string }) => {
      const files = await readBundle(bundle, pluginBounds);
      const { versionId } = await host.withServices((services) => installPlugin(services, files, options));
      process.stdout.write(`${versionId}\n`);
    });
  group
    .command('list-all')
    .description('list the plugins of every project, from the database')
    .option('--project <project>', 'project, by id or name; all projects when left out')
    .option('--json', 'print JSON')
    .action(async (options: { project?: string; json?: true }) => {
      const rows = await host.withServices(({ db }) => listPlugins(db, options.project));
      printRows(
        rows,
        {
          Name: (row) => row.name,
          Project: (row) => row.projectId,
          Version: (row) => row.declaredVersion,
          'Version id': (row) => row.activeVersionId,
          State: (row) => (row.enabled ? 'on' : 'off'),
          Updated: (row) => time(row.updatedAt),
        },
        options.json ?? false,
      );
    });
  for (const [verb, enabled, effect] of [
    ['enable', true, 'let environments use a plugin and its servers again'],
    ['disable', false, 'keep a plugin and its servers out of runs'],
  ] as const)
    at(group.command(`${verb} <name>`))
      .description(effect)
      .action(async (name: string, options: { project?: string }) => {
        await host.withServices(({ db }) => enablePlugin(db, { name, ...options }, enabled));
        process.stdout.write(`${name} is ${enabled ? 'on' : 'off'}.\n`);
      });
  at(group.command('remove <name>'))
    .description('remove a plugin with all its versions, servers and skills')
    .action(async (name: string, options: { project?: string }) => {
      await host.withServices((services) => removePlugin(services, { name, ...options }));
      process.stdout.write(`Removed ${name}.\n`);
    });
}
