import type { Command } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import { holdTunnel, TunnelEnded, type TunnelEvent } from '../../../tunnels/client.ts';
import type { Client } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { interruptible } from '../interrupt.ts';
import { placeOptions } from '../options.ts';
import { jsonText } from '../screen/json.ts';

interface TunnelOptions extends LocationOptions {
  name: string;
  port?: string;
  path?: string;
  target?: string;
  quiet?: true;
  json?: true;
}

const harmless = (text: string): string => oneLine(text, 200);

type Grant = Awaited<ReturnType<Client['createTunnel']>>;

export function tunnelCommand(program: Command, host: Host): void {
  const command = program
    .command('tunnel')
    .description(
      'Expose an MCP server on this machine to the service, and to anyone with the tunnel URL, until Ctrl-C',
    )
    .requiredOption('--name <server>', 'Saved server for the tunnel (created if missing)')
    .option('--port <port>', 'Port of the server on this machine')
    .option('--path <path>', 'Path of its MCP endpoint', '/mcp')
    .option('--target <url>', 'Full URL instead of port and path, like http://127.0.0.1:3000/mcp')
    .option('--quiet', 'Do not print each request')
    .option('--json', 'Print one JSON object when the tunnel is open');
  placeOptions(command).action(async (options: TunnelOptions) => {
    const target = targetOf(options);
    process.exitCode = await host.connect(options, async ({ api, projectId }) =>
      hold(api, await projectId(), target, options),
    );
  });
}

function targetOf({ port, path = '/mcp', target }: TunnelOptions): URL {
  if ((port === undefined) === (target === undefined))
    throw new OperatorProblem('Give either --port or --target', { exitCode: exitCodes.usage });
  const text = target ?? `http://127.0.0.1:${port}${path.startsWith('/') ? '' : '/'}${path}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new OperatorProblem(`${text} is not an http(s) URL`, { exitCode: exitCodes.usage });
  return url;
}

async function hold(api: Client, projectId: string, target: URL, options: TunnelOptions): Promise<number> {
  const grant = await api.createTunnel({ projectId, body: { name: options.name } });
  const which = { projectId, serverId: grant.serverId };
  try {
    await interruptible((signal) =>
      holdTunnel({
        relay: grant.relayWsUrl,
        token: grant.connectToken,
        target,
        prefix: '/mcp',
        signal,
        tell: eventPrinter(grant, target, options),
      }),
    );
    await api.closeTunnel(which);
    process.stderr.write('\nThe tunnel is closed.\n');
    return exitCodes.passed;
  } catch (error) {
    if (!(error instanceof TunnelEnded)) throw error;
    throw new OperatorProblem(error.message, { exitCode: exitCodes.incomplete });
  }
}

/** Prints the events of the tunnel, one line each. */
function eventPrinter(
  grant: Grant,
  target: URL,
  { json, quiet }: TunnelOptions,
): (event: TunnelEvent) => void {
  let introduced = false;
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const introduce = (): void => {
    introduced = true;
    if (json) {
      const { connectToken: _, relayWsUrl: __, ...shown } = grant;
      process.stdout.write(`${jsonText({ ...shown, target: target.href }, process.stdout, 2)}\n`);
      return;
    }
    if (grant.previousUrl !== undefined)
      say(`The saved server ${harmless(grant.name)} had the URL ${harmless(grant.previousUrl)}.`);
    else if (grant.previousTransportType === 'stdio')
      say(`The saved server ${harmless(grant.name)} was a stdio command.`);
    process.stdout.write(`${grant.url}\n`);
    say(`forwards to ${target.href}, as does the saved server ${harmless(grant.name)} (${grant.serverId}).`);
    say('Anyone with this URL can reach your server. Press Ctrl-C to close the tunnel.');
  };
  return (event) => {
    if (event.type === 'connected' && introduced) say('Reconnected.');
    else if (event.type === 'connected') introduce();
    else if (event.type === 'disconnected')
      say(
        `Disconnected: ${event.reason}. Retrying ${event.retryIn === 0 ? 'now' : `in ${Math.ceil(event.retryIn / 1000)} s`}.`,
      );
    else if (!quiet)
      say(
        `${harmless(event.method)} ${harmless(event.path)}  ${event.status ?? 'no response'}  ${Math.round(event.ms)} ms${event.error === undefined ? '' : `  ${harmless(event.error)}`}`,
      );
  };
}
