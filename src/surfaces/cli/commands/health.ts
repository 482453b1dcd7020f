import { type IncomingMessage, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import type { Command } from 'commander';
import { addressOf } from '../../../platform/config/load.ts';
import type { Config } from '../../../platform/config/settings.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';

/** Milliseconds after which a process that says nothing counts as one that does not live. */
const patience = 4_000;

/** For health checks of containers, which have no other program to ask with. */
export function healthCommand(program: Command, host: Host): void {
  program
    .command('health')
    .description('ask the service or worker that the settings here describe whether it lives')
    .option('--ready', 'ask whether it can serve, too')
    .action(async (options: { ready?: true }) => {
      const { config } = await host.load();
      const path = options.ready ? '/readyz' : '/healthz';
      const { status, text, url } = await firstAnswer(placesOf(config).map((origin) => `${origin}${path}`));
      process.stdout.write(`${url} ${status} ${text}\n`);
      if (status !== 200) process.exitCode = exitCodes.failed;
    });
}

/** Only one of them runs where both ports are the same; else the service is asked first. */
function placesOf(config: Config): string[] {
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
  throw new OperatorProblem(`Nobody answers. ${failures.join('; ')}`, { exitCode: exitCodes.unreachable });
}

function ask(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answered = (message: IncomingMessage): void =>
      void textOf(message).then((text) => resolve({ url, status: message.statusCode ?? 0, text }), reject);
    // The certificate is for the name that others use, and the question holds no secret.
    const request = url.startsWith('https:')
      ? requestByHttps(url, { rejectUnauthorized: false, agent: false }, answered)
      : requestByHttp(url, { agent: false }, answered);
    request.setTimeout(patience, () => request.destroy(new Error(`no answer in ${patience / 1000} s`)));
    request.on('error', reject).end();
  });
}
