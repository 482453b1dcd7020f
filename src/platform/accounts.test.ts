import { userInfo } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { browserAccount, commandAccount, lookUpAccount } from './accounts.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a user is found by name and by number', () => {
  const { username: name, uid, gid, homedir: home } = userInfo();
  expect(lookUpAccount(name)).toEqual({ uid, gid, name, home });
  expect(lookUpAccount(String(uid))).toEqual({ uid, gid, name, home });
  expect(lookUpAccount('no-such-user-here')).toBeUndefined();
  expect(lookUpAccount('987654321')).toBeUndefined();
});

test('root starts commands as a user of its own, unless the operator names another or writes root', () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0);
  // In some containers only root is mapped, so the service cannot switch to another user.
  const own = commandAccount(undefined);
  expect([undefined, 65_527]).toContain(own?.uid);
  expect([own?.uid, lookUpAccount('nobody')?.uid]).not.toContain(browserAccount().uid);
  expect(commandAccount('nobody')).toMatchObject({ uid: lookUpAccount('nobody')?.uid });
  expect(commandAccount('root')).toBeUndefined();
  expect(() => commandAccount('0')).toThrow('0 is root. Write root if commands are to run as root');
  expect(() => commandAccount('no-such-user-here')).toThrow('there is no user no-such-user-here');
});

test('others start commands as themselves', () => {
  vi.spyOn(process, 'getuid').mockReturnValue(1000);
  expect(commandAccount(undefined)).toBeUndefined();
  for (const name of ['nobody', 'root', '1000'])
    expect(() => commandAccount(name)).toThrow('only when the service runs as root');
});
