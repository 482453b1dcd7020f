import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import type { Host } from '../host.ts';

/**
 * Left to itself the engine lets four times as much garbage gather as there is live data before it looks: in a long run
 * of evals 100 MB more than this, for a hundredth of the processor.
 */
function collectOften(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

export function serveCommand(program: Command, host: Host): void {
  program
    .command('serve')
    .description('start the service')
    .option('--no-worker', 'answer requests only; jobs run in other processes')
    .action(async (options: { worker: boolean }) => {
      const { config, unknown } = await host.load();
      for (const name of unknown)
        process.stderr.write(`drydock: ${name} is not a setting; see: drydock config\n`);
      const service = await host.serve(config, options);
      collectOften();
      // Before the banner: whoever reads it may stop us at once.
      stopOnSignal(service.stop, (config.shutdownNotice + config.shutdownTimeout) * 1000);
      process.stdout.write(banner(service));
    });
}

export function workerCommand(program: Command, host: Host): void {
  program
    .command('worker')
    .description('run background jobs only, next to services that share the database')
    .action(async () => {
      const { config } = await host.load();
      const worker = await host.work(config);
      collectOften();
      stopOnSignal(() => worker.stop(), config.shutdownTimeout * 1000);
      const health = worker.healthUrl === undefined ? '' : ` Health and metrics: ${worker.healthUrl}`;
      process.stdout.write(`Drydock works.${health}\n`);
    });
}

function banner(service: Awaited<ReturnType<Host['serve']>>): string {
  const lines = [
    '',
    '  Drydock is ready',
    '',
    `  Console  ${service.consoleUrl}`,
    `  API      ${service.baseUrl}`,
    `  Docs     ${service.docsUrl}`,
  ];
  if (service.firstKey !== undefined)
    lines.push(
      // A log keeps what is printed: a key from the configuration never is, a generated one is once.
      `  Key      ${service.firstKeyGenerated ? service.firstKey : 'as set in DRYDOCK_BOOTSTRAP_KEY'}`,
      '',
      `  The link to the console works once${service.firstKeyGenerated ? ', and the key is shown this once' : ''}. Try it, with the key in DRYDOCK_API_KEY:`,
      '',
      ...firstRequest(service.baseUrl, service.demoServer),
      ...(service.demoServer === undefined
        ? []
        : [
            '',
            '  Then run its eval suite, from another terminal:',
            '',
            `    ${thisProgram()} evals run demo --wait`,
          ]),
    );
  if (service.warning !== undefined) lines.push('', `  ${service.warning}`);
  return `${lines.join('\n')}\n\n`;
}

/** As it is called where this was started. */
function thisProgram({ npm_lifecycle_event: script } = process.env): string {
  if (script === undefined) return 'drydock';
  return script === 'npx' ? 'npx drydock' : 'npm run drydock --';
}

/** Something that shows what this is for, where there is a server to show it on. */
function firstRequest(baseUrl: string, demoServer: string | undefined): string[] {
  const curl = '    curl -H "Authorization: Bearer $DRYDOCK_API_KEY"';
  if (demoServer === undefined) return [`${curl} ${baseUrl}/me`];
  return [
    `${curl} -H "Content-Type: application/json" \\`,
    `      ${baseUrl}${demoServer}/tools/call \\`,
    `      -d '{"toolName": "inspect_hull", "parameters": {"ship": "Albatross"}}'`,
  ];
}

/** The first signal drains; a second one, or the time limit, ends at once. The database survives either. */
function stopOnSignal(stop: () => Promise<void>, patience: number): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => {
      process.stderr.write('drydock: not everything finished in time; ending anyway\n');
      process.exit(1);
    }, patience).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`drydock: could not stop cleanly: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
