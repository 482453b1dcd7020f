import type { Command } from 'commander';
import { version } from '../../../platform/version.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import type { Host } from '../host.ts';
import { serviceOptions } from '../options.ts';

export function mcpCommand(program: Command, host: Host): void {
  serviceOptions(program.command('mcp'))
    .description('Serve MCP over stdio, with the tools of /mcp, for hosts that start a program')
    .option(
      '--toolsets <names>',
      'Offer one tool per operation of these areas, like servers,eval-runs (default: tools for tasks)',
    )
    .option('--read-only', 'Offer read-only tools only')
    .action(async (options: LocationOptions & { toolsets?: string; readOnly?: true }) => {
      const { serveMcpStdio } = await import('../../mcp/stdio.ts');
      await host.connect(options, ({ api }) =>
        serveMcpStdio(api, { toolsets: options.toolsets, readOnly: options.readOnly, version }),
      );
    });
}
