import type { Command } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import { version } from '../../../platform/version.ts';

export function demoServerCommand(program: Command): void {
  program
    .command('demo-server')
    .option('--stdio', 'Serve MCP over stdio instead of HTTP')
    .option('--port <port>', 'Port on loopback; 0 picks a free port', '4701')
    .action(async (options: { stdio?: true; port: string }) => {
      const { serveDemoHttp, serveDemoStdio } = await import('../../../demo-server/index.ts');
      if (options.stdio) return serveDemoStdio(version);
      if (!/^\d{1,5}$/.test(options.port) || Number(options.port) > 65_535)
        throw new OperatorProblem(`--port: "${options.port}" is not a port. Use 0 to 65535`);
      const demo = await serveDemoHttp(Number(options.port), version).catch((error: Error) => {
        throw new OperatorProblem(`Cannot listen on port ${options.port}: ${error.message}`);
      });
      const stop = (): void => void demo.stop().then(() => process.exit(0));
      process.once('SIGINT', stop).once('SIGTERM', stop);
      process.stdout.write(`The demo server listens on ${demo.url}\n`);
    });
}
