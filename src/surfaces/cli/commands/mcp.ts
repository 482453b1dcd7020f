import type { Command } from 'commander';
import { version } from '../../../platform/version.ts';
import type { PlaceOptions } from '../connect/place.ts';
import type { Host } from '../host.ts';

export function mcpCommand(program: Command, host: Host): void {
  program
    .command('mcp')
    .description(
      'serve MCP over the standard input and output: what /mcp of a service offers, for hosts that start a program',
    )
    .option(
      '--toolsets <names>',
      'one tool for each operation of these areas, like servers,eval-runs; left out, tools for tasks',
    )
    .option('--read-only', 'only tools that change nothing')
    .option('--service <url>', 'address of the service; its key is in DRYDOCK_API_KEY or a login')
    .option('--profile <name>', 'which login to use; without either, the service that runs here')
    .action(async (options: PlaceOptions & { toolsets?: string; readOnly?: true }) => {
      const { serveMcpStdio } = await import('../../mcp/stdio.ts');
      await host.connect(options, ({ api }) =>
        serveMcpStdio(api, { toolsets: options.toolsets, readOnly: options.readOnly, version }),
      );
    });
}
