import { Argument, type Command } from 'commander';

export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description(
      'Print the completion script for a shell; it also completes names of your servers and suites',
    )
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) => {
      const [{ scripts }, { completionTable }] = await Promise.all([
        import('../completion/scripts.ts'),
        import('../completion/table.ts'),
      ]);
      process.stdout.write(scripts[shell]?.(completionTable) ?? '');
    });
}
