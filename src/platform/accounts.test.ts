import { userInfo } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { commandAccount, lookUpAccount } from './accounts.ts';

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

test('commands run as a user that exists, and only root can have that', () => {
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(0);
  expect(commandAccount(undefined)).toBeUndefined();
  expect(commandAccount(userInfo().username)).toMatchObject({ uid: userInfo().uid });
  expect(() => commandAccount('no-such-user-here')).toThrow('there is no user no-such-user-here');
  getuid.mockReturnValue(1000);
  expect(commandAccount(undefined)).toBeUndefined();
  expect(() => commandAccount('nobody')).toThrow('only when the service runs as root');
});
