import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hostMounts, mountCheck, placeOf } from './mount-check.ts';

const host = hostMounts(
  [
    '27 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw',
    String.raw`30 27 8:2 /homes /home rw - ext4 /dev/sda2 rw`,
    String.raw`31 30 8:3 / /home/with\040space rw - ext4 /dev/sda3 rw`,
    '32 27 0:6 / /dev rw - devtmpfs devtmpfs rw',
  ].join('\n'),
);

test.each([
  ['/', '8:1', '/'],
  ['/etc/passwd', '8:1', '/etc/passwd'],
  ['/home', '8:2', '/homes'],
  ['/home/ann/project', '8:2', '/homes/ann/project'],
  ['/homely', '8:1', '/homely'],
  ['/home/with space', '8:3', '/'],
  ['/home/with space/x', '8:3', '/x'],
  ['/dev/null', '0:6', '/null'],
])('%s is found in its file system', (path, device, root) => {
  expect(placeOf(host, path)).toEqual({ device, root });
});

test.runIf(process.platform === 'linux')(
  'a command starts where nothing but what was meant is mounted',
  () => {
    const ran = (binds: Parameters<typeof mountCheck>[1]): string => {
      const [shell = '', ...args] = mountCheck('/bin/sh', binds);
      return execFileSync(shell, [...args, 'echo', "it's", 'on'], { encoding: 'utf8', stdio: 'pipe' });
    };
    const all = hostMounts(readFileSync('/proc/self/mountinfo', 'utf8')).map(({ point }) => ({
      path: point,
      writable: true,
    }));
    expect(ran(all)).toBe("it's on\n");
    // All mounts are writable, but none were intended to be.
    expect(() => ran([])).toThrow('A folder was replaced while the command was starting');
  },
);
