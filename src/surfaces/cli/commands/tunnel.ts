import type { Command } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import { holdTunnel, TunnelEnded, type TunnelEvent } from '../../../tunnels/client.ts';
import type { Client } from '../../client/index.ts';
import { oneLine } from '../../harmless-text.ts';
import type { PlaceOptions } from '../connect/place.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { interruptible } from '../interrupt.ts';
import { placeOptions } from '../reports/options.ts';
import { jsonText } from '../screen/json.ts';

interface TunnelOptions extends PlaceOptions {
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
      'let the service, and whoever has the address, reach an MCP server on this machine, until Ctrl-C',
    )
    .requiredOption('--name <server>', 'saved server that leads here; it is made if there is none')
    .option('--port <port>', 'port of the server on this machine')
    .option('--path <path>', 'where it serves MCP there', '/mcp')
    .option('--target <url>', 'its whole address instead, like http://127.0.0.1:3000/mcp')
    .option('--quiet', 'do not show each request')
    .option('--json', 'print one JSON object when the tunnel is open');
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
    throw new OperatorProblem(`${text} is no address of an HTTP server`, { exitCode: exitCodes.usage });
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
        tell: teller(grant, target, options),
      }),
    );
    // Its address is of no use to anybody now.
    await api.closeTunnel(which);
    process.stderr.write('\nThe tunnel is closed.\n');
    return exitCodes.passed;
  } catch (error) {
    if (!(error instanceof TunnelEnded)) throw error;
    throw new OperatorProblem(error.message, { exitCode: exitCodes.incomplete });
  }
}

/** Tells what happens, line by line. */
function teller(grant: Grant, target: URL, { json, quiet }: TunnelOptions): (event: TunnelEvent) => void {
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
      say(`The saved server ${harmless(grant.name)} led to ${harmless(grant.previousUrl)} until now.`);
    else if (grant.previousTransportType === 'stdio')
      say(`The saved server ${harmless(grant.name)} was a command until now.`);
    process.stdout.write(`${grant.url}\n`);
    say(`leads to ${target.href}, and so does the saved server ${harmless(grant.name)} (${grant.serverId}).`);
    say('Whoever has the address reaches your server. Press Ctrl-C to close it.');
  };
  return (event) => {
    if (event.type === 'connected' && introduced) say('Connected again.');
    else if (event.type === 'connected') introduce();
    else if (event.type === 'disconnected')
      say(
        `Not connected: ${event.reason}. Trying again ${event.retryIn === 0 ? 'at once' : `in ${Math.ceil(event.retryIn / 1000)} s`}.`,
      );
    else if (!quiet)
      say(
        `${harmless(event.method)} ${harmless(event.path)}  ${event.status ?? 'no answer'}  ${Math.round(event.ms)} ms${event.error === undefined ? '' : `  ${harmless(event.error)}`}`,
      );
  };
}
