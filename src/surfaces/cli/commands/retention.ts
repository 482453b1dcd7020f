import type { Command } from 'commander';
import { retentionHelp, retentionOf, setRetention } from '../../../domain/operator/retention.ts';
import { applyRetention } from '../../../domain/retention/apply.ts';
import type { Host } from '../host.ts';
import { organizationOption, prints } from '../options.ts';

interface Place {
  organization?: string;
}

export function retentionCommands(program: Command, host: Host): void {
  const group = program.command('retention');
  prints(
    organizationOption(group.command('list').description('List the retention of each kind of data')),
    ({ organization }: Place) => host.withServices(({ db }) => retentionOf(db, organization)),
    { Kind: ({ kind }) => kind, Kept: ({ days }) => (days === null ? 'forever' : `${days} days`) },
  );
  organizationOption(
    group
      .command('set <limits...>')
      .description(
        `Set retention in days, like: retention set traces=30 audit=365 runs=forever (${retentionHelp})`,
      ),
  ).action(async (limits: string[], { organization }: Place) => {
    await host.withServices(({ db }) => setRetention(db, organization, limits));
    process.stdout.write(
      'Saved. Expired data is removed within six hours, or now with: drydock retention run\n',
    );
  });
  prints(
    group.command('run').description('Remove the expired data of all organizations now'),
    async () => {
      const { parts, rows } = await host.withServices((services) =>
        applyRetention(services, new AbortController().signal),
      );
      const removed = Object.entries(rows).map(([kind, count]) => ({ removed: kind, count }));
      return [...removed, { removed: 'whole months', count: parts.length }];
    },
    { Removed: ({ removed }) => removed, Count: ({ count }) => count },
  );
}
