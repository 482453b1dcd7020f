import { Argument, type Command } from 'commander';

export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the completion for a shell, which completes names of your servers and suites too')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) => {
      const [{ scripts }, { completionTable }] = await Promise.all([
        import('../completion/scripts.ts'),
        import('../completion/table.ts'),
      ]);
      process.stdout.write(scripts[shell]?.(completionTable) ?? '');
    });
}
