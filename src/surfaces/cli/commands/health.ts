import { type IncomingMessage, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import type { Command } from 'commander';
import { addressOf } from '../../../platform/config/load.ts';
import type { Config } from '../../../platform/config/settings.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';

const timeoutMs = 4_000;

/** Health check for containers, which may have no curl. */
export function healthCommand(program: Command, host: Host): void {
  program
    .command('health')
    .description('Check the health of the service or worker that these settings describe')
    .option('--ready', 'Check readiness to serve requests too')
    .action(async (options: { ready?: true }) => {
      const { config } = await host.load();
      const path = options.ready ? '/readyz' : '/healthz';
      const { status, text, url } = await firstAnswer(originsOf(config).map((origin) => `${origin}${path}`));
      process.stdout.write(`${url} ${status} ${text}\n`);
      if (status !== 200) process.exitCode = exitCodes.failed;
    });
}

/** The URLs of the service and of the worker, in this order. */
function originsOf(config: Config): string[] {
  const { host, workerPort } = config;
  const service = addressOf(config);
  return workerPort === undefined ? [service] : [service, addressOf({ host, port: workerPort })];
}

interface Answer {
  url: string;
  status: number;
  text: string;
}

async function firstAnswer(urls: string[]): Promise<Answer> {
  const failures: string[] = [];
  for (const url of urls) {
    const answer = await ask(url).catch((error: NodeJS.ErrnoException) => error);
    if (!(answer instanceof Error)) return answer;
    failures.push(`${url}: ${answer.message || answer.code}`);
  }
  throw new OperatorProblem(`No response. ${failures.join('; ')}`, { exitCode: exitCodes.unreachable });
}

function ask(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answered = (message: IncomingMessage): void =>
      void textOf(message).then((text) => resolve({ url, status: message.statusCode ?? 0, text }), reject);
    // The certificate names the public host, not this address; the request contains no secret.
    const request = url.startsWith('https:')
      ? requestByHttps(url, { rejectUnauthorized: false, agent: false }, answered)
      : requestByHttp(url, { agent: false }, answered);
    request.setTimeout(timeoutMs, () =>
      request.destroy(new Error(`no response within ${timeoutMs / 1000} s`)),
    );
    request.on('error', reject).end();
  });
}
