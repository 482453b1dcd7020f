import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HiddenBy, hiddenPaths, isAllowedHome, isGrantable, namedFolders } from './places.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drydock-places-'));
  for (const name of ['one', 'two', 'three', 'data', 'socket']) mkdirSync(join(folder, name));
  for (const name of ['key.pem', 'client.key', 'two/file']) writeFileSync(join(folder, name), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);

test('arguments and saved variables name folders, and variables that secrets filled do not', () => {
  const env = { SAVED: at('two/file'), GIVEN: at('three'), HOME: at('one'), OPTION: 'plain' };
  const command = { args: [`--root=${at('one')}`, 'plain'], env };
  expect(namedFolders(command)).toEqual([at('one'), at('three'), at('two')]);
  expect(namedFolders({ ...command, delivered: ['GIVEN'] })).toEqual([at('one'), at('two')]);
  expect(namedFolders({ ...command, delivered: ['GIVEN', 'SAVED'] })).toEqual([at('one')]);
});

test.each([
  ['/srv/files', true, true],
  ['/home/dock', true, true],
  ['/var', false, false],
  ['/var/lib/postgresql', false, true],
  ['/var/www', false, true],
  ['/etc/dock', false, false],
  ['/usr/local/share', false, false],
  ['/proc/sys', false, false],
  ['/', false, false],
  ['/tmp', false, false],
  ['/tmp/drydock-browser-1-x/profile', false, false],
])('%s may be changed when it is named: %s, and when it is the home folder: %s', (path, named, home) => {
  expect([isGrantable(path, ['/tmp']), isAllowedHome(path, ['/tmp'])]).toEqual([named, home]);
});

const nothing: HiddenBy = {
  dataDir: join(homedir(), 'no-such-folder'),
  blobsUrl: undefined,
  modelsFile: undefined,
  commandHidden: undefined,
  tlsKey: undefined,
  databaseUrl: undefined,
  databaseDirectUrl: undefined,
};

test('keys and sockets that settings name are hidden', () => {
  const encoded = encodeURIComponent(at('socket'));
  const cases: [Partial<HiddenBy>, string[]][] = [
    [{ dataDir: at('data') }, [at('data')]],
    [{ tlsKey: at('key.pem') }, [at('key.pem')]],
    [{ databaseUrl: `postgres://dock@${encoded}/dock` }, [at('socket')]],
    [{ databaseUrl: `postgres://dock:pass@/dock?host=${at('socket')}` }, [at('socket')]],
    [
      { databaseDirectUrl: `postgres://a.example.com,b.example.com/d?sslkey=${at('client.key')}` },
      [at('client.key')],
    ],
    [{ databaseUrl: 'postgres://dock:p%2Fss@db.example.com:5432/dock' }, []],
  ];
  const always = hiddenPaths(nothing);
  for (const [settings, hidden] of cases)
    expect(hiddenPaths({ ...nothing, ...settings }).filter((path) => !always.includes(path))).toEqual(hidden);
});
