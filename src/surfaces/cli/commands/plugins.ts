import type { Command } from 'commander';
import { enablePlugin, installPlugin, listPlugins, removePlugin } from '../../../domain/operator/plugins.ts';
import { pluginBounds } from '../../../domain/plugins/parse.ts';
import { readBundle } from '../../../platform/archive.ts';
import type { Host } from '../host.ts';
import { prints, projectOption } from '../options.ts';
import { time } from '../screen/text.ts';

export function pluginCommands(program: Command, host: Host): void {
  const group = program.command('plugins');
  projectOption(group.command('install <bundle>'))
    .description('Install a plugin or a new version of it, from a folder with a plugin.json or its .tar.gz')
    .action(async (bundle: string, options: { project?: string }) => {
      const files = await readBundle(bundle, pluginBounds);
      const { versionId } = await host.withServices((services) => installPlugin(services, files, options));
      process.stdout.write(`${versionId}\n`);
    });
  prints(
    group
      .command('list-all')
      .description('List the plugins of all projects; works without a running service')
      .option('--project <project>', 'Project, by ID or name (default: all projects)'),
    ({ project }: { project?: string }) => host.withServices(({ db }) => listPlugins(db, project)),
    {
      Name: (row) => row.name,
      Project: (row) => row.projectId,
      Version: (row) => row.declaredVersion,
      'Version ID': (row) => row.activeVersionId,
      State: (row) => (row.enabled ? 'on' : 'off'),
      Updated: (row) => time(row.updatedAt),
    },
  );
  for (const [verb, enabled, effect] of [
    ['enable', true, 'Enable a plugin and its servers'],
    ['disable', false, 'Disable a plugin and its servers'],
  ] as const)
    projectOption(group.command(`${verb} <name>`))
      .description(effect)
      .action(async (name: string, options: { project?: string }) => {
        await host.withServices(({ db }) => enablePlugin(db, { name, ...options }, enabled));
        process.stdout.write(`${name} is ${enabled ? 'on' : 'off'}.\n`);
      });
  projectOption(group.command('remove <name>'))
    .description('Remove a plugin with all its versions, servers and skills')
    .action(async (name: string, options: { project?: string }) => {
      await host.withServices((services) => removePlugin(services, { name, ...options }));
      process.stdout.write(`Removed ${name}.\n`);
    });
}
