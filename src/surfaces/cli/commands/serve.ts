import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import type { Host } from '../host.ts';

/**
 * Collects garbage earlier than V8's default, which lets the heap grow to four times the live data. In a long eval run
 * this saves 100 MB for one percent of the processor time.
 */
export function growHeapSlowly(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

export function serveCommand(program: Command, host: Host): void {
  program
    .command('serve')
    .option('--no-worker', 'Serve requests only; jobs run in other processes')
    .action(async (options: { worker: boolean }) => {
      const { config, unknown } = await host.load();
      for (const name of unknown)
        process.stderr.write(`drydock: ${name} is not a setting; see: drydock config\n`);
      const service = await host.serve(config, options);
      growHeapSlowly();
      // Before the banner: its reader may stop the process at once.
      stopOnSignal(service.stop, (config.shutdownNotice + config.shutdownTimeout) * 1000);
      process.stdout.write(banner(service));
    });
}

export function workerCommand(program: Command, host: Host): void {
  program.command('worker').action(async () => {
    const { config } = await host.load();
    const worker = await host.work(config);
    growHeapSlowly();
    stopOnSignal(() => worker.stop(), config.shutdownTimeout * 1000);
    const health = worker.healthUrl === undefined ? '' : ` Health and metrics: ${worker.healthUrl}`;
    process.stdout.write(`The Drydock worker is running.${health}\n`);
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
      // Logs keep the output: a configured key is never printed, a generated one is printed once.
      `  Key      ${service.firstKeyGenerated ? service.firstKey : 'as set in DRYDOCK_BOOTSTRAP_KEY'}`,
      '',
      `  The console link works once${service.firstKeyGenerated ? ', and the key is not shown again' : ''}. Try the API with the key in DRYDOCK_API_KEY:`,
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

/** The command by which the user started this program. */
function thisProgram({ npm_lifecycle_event: script } = process.env): string {
  if (script === undefined) return 'drydock';
  return script === 'npx' ? 'npx drydock' : 'npm run drydock --';
}

/** A tool call on the demo server, or a request for the account without one. */
function firstRequest(baseUrl: string, demoServer: string | undefined): string[] {
  const curl = '    curl -H "Authorization: Bearer $DRYDOCK_API_KEY"';
  if (demoServer === undefined) return [`${curl} ${baseUrl}/me`];
  return [
    `${curl} -H "Content-Type: application/json" \\`,
    `      ${baseUrl}${demoServer}/tools/call \\`,
    `      -d '{"toolName": "inspect_hull", "parameters": {"ship": "Albatross"}}'`,
  ];
}

/** The first signal drains; a second one, or the timeout, exits at once. Committed data survives both. */
function stopOnSignal(stop: () => Promise<void>, timeoutMs: number): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => {
      process.stderr.write('drydock: shutdown timed out; exiting with work unfinished\n');
      process.exit(1);
    }, timeoutMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`drydock: shutdown failed: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
