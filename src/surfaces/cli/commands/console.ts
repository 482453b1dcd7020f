import type { Command } from 'commander';
import { configuredOrigin } from '../../../domain/context/context.ts';
import { createConsoleLink } from '../../../domain/operator/console-link.ts';
import { addressOfLink } from '../../../domain/people/links.ts';
import { serviceIn } from '../../../platform/local-service.ts';
import type { Host } from '../host.ts';

export function consoleCommands(program: Command, host: Host): void {
  program
    .command('console')
    .command('link')
    .description('Create a one-time sign-in link, valid for 24 hours')
    .option('--user <user>', 'User to sign in, by ID or email address (default: the first operator)')
    .option('--json', 'Print JSON')
    .action(async (options: { user?: string; json?: true }) => {
      const { url, email, expiresAt } = await host.withServices(async ({ db, config }) => {
        const { token, ...link } = await createConsoleLink(db, options.user);
        // The public URL, or the address of the running service.
        const here = config.publicUrl === undefined ? serviceIn(config.dataDir)?.url : undefined;
        return { ...link, url: addressOfLink(here ?? configuredOrigin({ config }), token) };
      });
      process.stdout.write(options.json ? `${JSON.stringify({ url, email, expiresAt })}\n` : `${url}\n`);
      if (!options.json)
        process.stderr.write(`Opening it signs in as ${email}. It works once and expires after 24 hours.\n`);
    });
}
