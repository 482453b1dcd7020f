import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const module = new URL('./descriptors.ts', import.meta.url).href;

/**
 * Starts children from a process that inherited this file as descriptors 30 and 2000, and prints their targets of both.
 */
const child = `
  import { spawnSync } from 'node:child_process';
  import { closedDescriptors } from ${JSON.stringify(module)};
  const show = 'for fd in 30 2000; do readlink /proc/self/fd/$fd || echo closed; done';
  const shown = (rest) => spawnSync('sh', ['-c', show], { stdio: ['ignore', 'pipe', 'pipe', ...rest] }).stdout.toString();
  console.log(JSON.stringify([shown([]), shown(closedDescriptors())]));`;

test.runIf(process.platform === 'linux')('a command gets no descriptor that the service inherited', () => {
  const file = fileURLToPath(import.meta.url);
  const inherited = openSync(file, 'r');
  const ignored = (count: number) => Array.from({ length: count }, () => 'ignore' as const);
  const stdio = [
    'ignore',
    'pipe',
    'inherit',
    ...ignored(27),
    inherited,
    ...ignored(1969),
    inherited,
  ] as const;
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', child], {
    stdio: [...stdio],
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual([`${file}\n${file}\n`, '/dev/null\nclosed\n']);
});
