import { spawn } from 'node:child_process';
import { createWriteStream, rmSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { MessageFilter } from './message-filter.ts';

/**
 * A separate program between the library and the browser: pipe-filter PID-FILE HOME COMMAND ARGS. Commands go straight
 * to the browser (descriptor 3); its messages (descriptor 4) pass the filter, because pages determine their amount.
 * However the service ends, the command pipe closes, and then the browser and this program exit.
 */
const [pidFile = '', home = '', command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, {
  stdio: ['ignore', 'ignore', 'inherit', 3, 'pipe'],
  // Sets HOME and TMPDIR for the browser only. This process may run as root, so it must not write to a folder of the
  // browser.
  env: { ...process.env, HOME: home, TMPDIR: home },
});
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
if (child.pid !== undefined) writeFileSync(pidFile, String(child.pid));

const out = createWriteStream('', { fd: 4 });
out.on('error', () => child.kill('SIGKILL'));
const messages = child.stdio[4] as Readable;
const filter = new MessageFilter((bytes) => {
  if (out.write(bytes)) return;
  messages.pause();
  out.once('drain', () => messages.resume());
});
messages.on('data', (chunk: Buffer) => filter.feed(chunk));
messages.on('error', () => {});
child.on('exit', (code) => {
  // Removes the unused profile that the library created: the library leaves it behind when it is killed.
  const unused = args.find((word) => word.startsWith('--user-data-dir='))?.slice('--user-data-dir='.length);
  if (unused?.includes('playwright_')) rmSync(unused, { recursive: true, force: true });
  process.exit(code ?? 1);
});
process.on('SIGTERM', () => child.kill('SIGTERM'));
