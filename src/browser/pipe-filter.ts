import { spawn } from 'node:child_process';
import { createWriteStream, rmSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { MessageFilter } from './message-filter.ts';

/**
 * A program of its own, between the library that drives the browser and the browser: pipe-filter PID-FILE HOME COMMAND ARGS.
 * Commands go straight to the browser (descriptor 3); what the browser says (descriptor 4) passes the filter, since a
 * page decides how much that is. When the service dies, however it dies, the pipe of commands closes, the browser ends,
 * and with it this.
 */
const [pidFile = '', home = '', command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, {
  stdio: ['ignore', 'ignore', 'inherit', 3, 'pipe'],
  // Only the browser: what it may write to is no place for files of this process, which may be root's.
  env: { ...process.env, HOME: home, TMPDIR: home },
});
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
if (child.pid !== undefined) writeFileSync(pidFile, String(child.pid));

const out = createWriteStream('', { fd: 4 });
out.on('error', () => child.kill('SIGKILL'));
const said = child.stdio[4] as Readable;
const filter = new MessageFilter((bytes) => {
  if (out.write(bytes)) return;
  said.pause();
  out.once('drain', () => said.resume());
});
said.on('data', (chunk: Buffer) => filter.feed(chunk));
said.on('error', () => {});
child.on('exit', (code) => {
  // The library makes a profile that is not used, and removes it only if it is not killed.
  const unused = args.find((word) => word.startsWith('--user-data-dir='))?.slice('--user-data-dir='.length);
  if (unused?.includes('playwright_')) rmSync(unused, { recursive: true, force: true });
  process.exit(code ?? 1);
});
process.on('SIGTERM', () => child.kill('SIGTERM'));
