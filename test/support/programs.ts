import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findChromium } from '../../src/browser/chromium.ts';

/** The Chromium of the machine, or the one that a variable names. Nothing is downloaded. */
export const chromiumPath = process.env['DRYDOCK_TEST_CHROMIUM'] ?? findChromium();

/**
 * Programs that a bare machine lacks. A test that needs one has its key among its tags; without the program the test is
 * left out, and the end of the run says so.
 */
export const programs = {
  chromium: { name: 'Chromium', there: chromiumPath !== undefined && existsSync(chromiumPath) },
  bubblewrap: {
    name: 'bubblewrap and namespaces',
    there: succeeds('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']),
  },
  haproxy: { name: 'HAProxy', there: existsSync('/usr/sbin/haproxy') },
  pgbouncer: { name: 'PgBouncer', there: existsSync('/usr/sbin/pgbouncer') },
  postgres15: { name: 'PostgreSQL 15', there: existsSync('/usr/lib/postgresql/15/bin/postgres') },
  promtool: { name: 'promtool', there: succeeds('promtool', ['--version']) },
  systemd: { name: 'systemd', there: existsSync('/usr/bin/systemd-analyze') },
  mounts: { name: 'unshare, as root', there: succeeds('unshare', ['--mount', 'true']) },
  python: { name: 'Python 3', there: succeeds('python3', ['--version']) },
} as const;

/** The setting that gives a service the browser of the tests, where there is one. */
export const browserSetting: Record<string, string> =
  programs.chromium.there && chromiumPath !== undefined ? { DRYDOCK_BROWSER: chromiumPath } : {};

function succeeds(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

/** For the configuration of vitest. */
export const programTags = Object.entries(programs).map(([name, program]) => ({
  name,
  description: `needs ${program.name}`,
  skip: !program.there,
}));
