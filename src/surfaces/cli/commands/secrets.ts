import type { Command } from 'commander';
import type { Host } from '../host.ts';

export function secretCommands(program: Command, host: Host): void {
  program
    .command('secrets')
    .command('rotate-key')
    .description('Re-encrypt every stored secret with a new master key; the service may keep running')
    .option('--from-environment', 'Use the first key of DRYDOCK_MASTER_KEY, which also lists the old key')
    .action(async (options: { fromEnvironment?: true }) => {
      await host.withServices(async ({ vault, db }) => {
        if (options.fromEnvironment) {
          const count = await vault.reseal(db);
          return void process.stdout.write(
            `Re-encrypted ${count} values with the first key. You can remove the old key.\n`,
          );
        }
        const { from, to, values } = await vault.rotate(db);
        process.stdout.write(`Re-encrypted ${values} values: key ${from} is replaced by key ${to}.\n`);
      });
    });
}
