import type { Command } from 'commander';
import { configuredOrigin } from '../../../domain/context.ts';
import { createConsoleLink } from '../../../domain/operator/console-link.ts';
import { addressOfLink } from '../../../domain/people/links.ts';
import { serviceIn } from '../../../platform/local-service.ts';
import type { Host } from '../host.ts';

export function consoleCommands(program: Command, host: Host): void {
  program
    .command('console')
    .description('the console in the browser')
    .command('link')
    .description('make a link that signs somebody in, once within 24 hours')
    .option('--user <user>', 'whom, by id or e-mail; the first operator when left out')
    .option('--json', 'print JSON')
    .action(async (options: { user?: string; json?: true }) => {
      const { url, email, expiresAt } = await host.withServices(async ({ db, config }) => {
        const { token, ...link } = await createConsoleLink(db, options.user);
        // Where it is reached from outside, or where it listens just now.
        const here = config.publicUrl === undefined ? serviceIn(config.dataDir)?.url : undefined;
        return { ...link, url: addressOfLink(here ?? configuredOrigin({ config }), token) };
      });
      process.stdout.write(options.json ? `${JSON.stringify({ url, email, expiresAt })}\n` : `${url}\n`);
      if (!options.json)
        process.stderr.write(`Whoever opens it is signed in as ${email}. It works once, for 24 hours.\n`);
    });
}
