import { spawnSync } from 'node:child_process';
import { loadConfig } from '../../src/platform/config/load.ts';
import { Confinement } from '../../src/platform/confinement/confinement.ts';

/** A program: runs the JavaScript it is given in a command, confined as the settings say, and prints what it printed. */
const { config } = loadConfig();
const confinement = new Confinement(config);
const reached = await confinement.reached();
const env = { PATH: process.env['PATH'] ?? '', HOME: confinement.user?.home ?? process.env['HOME'] ?? '/' };
const args = ['-e', process.argv[2] ?? '', ...process.argv.slice(3)];
const confinedTo = process.env['CONFINED_TO'];
const exceptions = confinedTo === undefined ? {} : { confinedTo: [confinedTo] };
const launch = await confinement.launch({ command: process.execPath, args, env }, exceptions);
const { uid, gid } = launch.account ?? {};
const { stdout, stderr, status } = spawnSync(launch.command, launch.args, {
  env: launch.env,
  encoding: 'utf8',
  timeout: 20_000,
  ...(uid !== undefined && gid !== undefined && { uid, gid }),
});
process.stdout.write(JSON.stringify({ ...reached, stdout, stderr, status }));
