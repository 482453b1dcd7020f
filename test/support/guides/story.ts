import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { transform } from 'esbuild';
import { parseAllDocuments } from 'yaml';
import { program } from '../process.ts';
import type { Block } from './blocks.ts';
import { Session } from './session.ts';

/** Commands of a checkout that CI runs, and one for a package that a test installs from its own archive. */
const commandsRanElsewhere = ['npm ci && npm start', 'npm ci && npm test', 'npm install drydock'];

/** So is the configuration of HAProxy, by test/replicas.test.ts; test/deploy.test.ts holds the guide against it. */
export function isRanElsewhere({ language, text }: Block): boolean {
  return language === 'haproxy' || commandsRanElsewhere.includes(text);
}

export function isRun(block: Block): boolean {
  return block.notRun === undefined && !isRanElsewhere(block);
}

/** Ports that pages name. Each stands for a free one while the page is run. */
const portsOfPages = ['4700', '4701', '4702', '4703', '8080'];

/**
 * Runs a page from top to bottom, in one folder and one shell.
 *
 * - `sh` is run and must succeed; `sh background` goes on while the rest is run.
 * - `text` is what the block before it prints; `…` stands for anything, alone in a line for any lines. For a block in the
 *   background it is waited for.
 * - A block with a file's name is written there. JSON and YAML without one are read, and so must be well-formed.
 * - `ts` is run as a program.
 *
 * Gives the number of blocks it has carried out.
 */
export async function runStory(
  blocks: Block[],
  folder: string,
  env: Record<string, string>,
): Promise<number> {
  const ports = await freePorts();
  if (env['DRYDOCK_PORT'] !== undefined) ports.set('4700', env['DRYDOCK_PORT']);
  const here = (text: string): string => replaced(text, ports);
  const there = new Map([...ports].map(([documented, free]) => [free, documented]));
  const bin = join(folder, 'node_modules/.bin');
  await mkdir(bin, { recursive: true });
  await symlink(program, join(bin, 'drydock'));
  await symlink(new URL('../../..', import.meta.url).pathname, join(folder, 'node_modules/drydock'));
  const session = new Session(folder, {
    ...inherited(),
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, '.config'),
    DRYDOCK_PORT: ports.get('4700') as string,
    DRYDOCK_RATE_LIMIT: 'off',
    ...env,
    PATH: `${bin}:${process.env['PATH']}`,
  });
  let printed = '';
  let count = 0;
  try {
    for (const [i, block] of blocks.entries()) {
      if (!isRun(block)) continue;
      printed = await carryOut(block, blocks[i + 1]).catch((cause: Error) => {
        throw new Error(`${block.page}:${block.line}\n${block.text}\n\n${cause.message}`, { cause });
      });
      count++;
    }
  } finally {
    await session.end();
  }
  return count;

  /** Gives what was printed, as the page would show it. */
  async function carryOut({ language, word, text }: Block, next: Block | undefined): Promise<string> {
    if (word === 'background') {
      const shown = next?.language === 'text' ? next.text : '…';
      await session.start(here(text), (said) => matches(replaced(said, there), `…\n${shown}\n…`));
      return shown;
    }
    if (word !== '') {
      await mkdir(dirname(join(folder, word)), { recursive: true });
      await writeFile(join(folder, word), `${here(text)}\n`);
      return '';
    }
    if (language === 'sh') return replaced((await session.run(here(text))).stdout, there);
    if (language === 'ts') {
      const { code } = await transform(here(text), { loader: 'ts', format: 'esm' });
      await writeFile(join(folder, 'program.mjs'), code);
      return replaced((await session.run('node program.mjs')).stdout, there);
    }
    if (language === 'text') {
      if (/^[…\s]*$/.test(text)) throw new Error('shows nothing');
      if (!matches(printed, text)) throw new Error(`does not show what was printed:\n${printed}`);
      return printed;
    }
    if (language === 'json') JSON.parse(text);
    else if (language === 'yaml') {
      for (const { errors } of parseAllDocuments(text)) if (errors[0]) throw errors[0];
    } else throw new Error(`nobody knows how to run ${language || 'this'}; say why it is not run`);
    return '';
  }
}

/** `…` stands for anything in a line, and for any lines where it stands alone. Columns may be wider. */
export function matches(printed: string, shown: string): boolean {
  const pattern = shown
    .split('\n')
    .map((line) => (line.trim() === '…' ? '(?:.*\\n)*?' : `${inLine(line)}[ ]*\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(`${printed}\n`);
}

function inLine(line: string): string {
  return line
    .trimEnd()
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll(/ {2,}/g, ' {2,}'))
    .join('.*?');
}

/** Settings of the shell that runs the tests must not reach what a page starts. */
function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        !/^(?:DRYDOCK|GITHUB|GITLAB|CI|VITEST|NODE_OPTIONS)|_API_KEY$/.test(entry[0]),
    ),
  );
}

function replaced(text: string, ports: Map<string, string>): string {
  return text.replaceAll(/\b\d{4,5}\b/g, (number) => ports.get(number) ?? number);
}

async function freePorts(): Promise<Map<string, string>> {
  const servers = await Promise.all(
    portsOfPages.map(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => String((server.address() as { port: number }).port));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return new Map(portsOfPages.map((documented, i) => [documented, ports[i] as string]));
}
