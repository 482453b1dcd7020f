import { expect, test } from 'vitest';
import { type Facilities, hardLimits, shortfalls, type Wrapped, wrap } from './wrap.ts';

const limits = `Limit                     Soft Limit           Hard Limit           Units
Max file size             unlimited            unlimited            bytes
Max data size             unlimited            1073741824           bytes
Max processes             96365                100                  processes
Max open files            256                  1024                 files
`;
const facilities: Facilities = {
  tools: { prlimit: '/usr/bin/prlimit' },
  namespaces: false,
  countsApart: true,
  root: false,
  hard: {},
};
const wrapped: Wrapped = {
  user: undefined,
  network: 'shared',
  view: { files: 'shared', writable: [], dataDir: '/no', ...nothing() },
  bounds: { memory: 2 * 1024 ** 3, processes: 512, commands: 16 },
};

function nothing() {
  const none = undefined;
  return {
    blobsUrl: none,
    modelsFile: none,
    commandHidden: none,
    tlsKey: none,
    databaseUrl: none,
    databaseDirectUrl: none,
  };
}

const limitsOf = (hard: Facilities['hard']): string[] =>
  wrap({ command: 'true', args: [], env: {} }, { ...facilities, hard }, wrapped).args.filter((word) =>
    word.startsWith('--'),
  );

test('a command is limited to what the service may have itself, and what is missing is said', () => {
  const hard = hardLimits(limits);
  expect(hard).toEqual({ data: 1024 ** 3, nproc: 100, nofile: 1024 });
  expect(limitsOf({})).toEqual([
    `--data=${2 * 1024 ** 3}`,
    `--fsize=${2 * 1024 ** 3}`,
    '--nofile=4096',
    '--nproc=512',
    '--core=0',
    '--',
  ]);
  expect(limitsOf(hard)).toEqual([
    `--data=${1024 ** 3}`,
    `--fsize=${2 * 1024 ** 3}`,
    '--nofile=1024',
    '--nproc=100',
    '--core=0',
    '--',
  ]);
  expect(shortfalls({ ...facilities, hard: { nofile: 4096 } }, wrapped)).toEqual([]);
  expect(shortfalls({ ...facilities, hard: { nofile: 1024 } }, wrapped)).toEqual([
    'Raise the hard limit "Max open files" of the service from 1024 to 4096 (systemd: LimitNOFILE=4096)',
  ]);
});
