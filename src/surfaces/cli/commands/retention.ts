import type { Command } from 'commander';
import { retentionHelp, retentionOf, setRetention } from '../../../domain/operator/retention.ts';
import { applyRetention } from '../../../domain/retention/apply.ts';
import type { Host } from '../host.ts';
import { printRows } from '../screen/rows.ts';

export function retentionCommands(program: Command, host: Host): void {
  const group = program.command('retention').description('how long an organization keeps what only grows');
  group
    .command('list')
    .description('how long each kind is kept')
    .option('--organization <organization>', 'by id or name')
    .option('--json', 'print JSON')
    .action(async (options: { organization?: string; json?: true }) => {
      const rows = await host.withServices(({ db }) => retentionOf(db, options.organization));
      printRows(
        rows,
        { Kind: ({ kind }) => kind, Kept: ({ days }) => (days === null ? 'forever' : `${days} days`) },
        options.json ?? false,
      );
    });
  group
    .command('set <limits...>')
    .description(`say how many days, like: retention set traces=30 audit=365 runs=forever (${retentionHelp})`)
    .option('--organization <organization>', 'by id or name')
    .action(async (limits: string[], options: { organization?: string }) => {
      await host.withServices(({ db }) => setRetention(db, options.organization, limits));
      process.stdout.write(
        'Saved. What is older goes within six hours, or now with: drydock retention run\n',
      );
    });
  group
    .command('run')
    .description('remove now what is kept no longer, of all organizations')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const { parts, rows } = await host.withServices((services) =>
        applyRetention(services, new AbortController().signal),
      );
      printRows(
        [
          ...Object.entries(rows).map(([kind, count]) => ({ removed: kind, count })),
          { removed: 'whole months', count: parts.length },
        ],
        { Removed: ({ removed }) => removed, Count: ({ count }) => count },
        options.json ?? false,
      );
    });
}
