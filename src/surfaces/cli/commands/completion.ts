import { Argument, type Command } from 'commander';
import type { Host } from '../host.ts';

export function completionCommand(program: Command, host: Host): void {
  program
    .command('completion')
    .description(
      'Print the completion script for a shell; it also completes names of your servers and suites',
    )
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) => {
      process.stdout.write(await host.completionScript(shell));
    });
}
