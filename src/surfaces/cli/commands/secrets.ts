import type { Command } from 'commander';
import type { Host } from '../host.ts';

export function secretCommands(program: Command, host: Host): void {
  program
    .command('secrets')
    .description('stored secrets')
    .command('rotate-key')
    .description('seal every stored secret under a new master key; the service may keep running')
    .option('--from-environment', 'use the first key of DRYDOCK_MASTER_KEY, which also lists the old one')
    .action(async (options: { fromEnvironment?: true }) => {
      await host.withServices(async ({ vault, db }) => {
        if (options.fromEnvironment) {
          const count = await vault.reseal(db);
          return void process.stdout.write(
            `${count} values are sealed under the first key. The old one can go.\n`,
          );
        }
        const { from, to, values } = await vault.rotate(db);
        process.stdout.write(`${values} values moved from key ${from} to key ${to}.\n`);
      });
    });
}
