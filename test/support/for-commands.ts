import { chown } from 'node:fs/promises';
import { commandAccount } from '../../src/platform/accounts.ts';

/** Whom commands run as by default, when not as the tests. */
export const commandUser = commandAccount(undefined);

/** Hands files over to whom commands run as, so that they may change them. */
export async function giveToCommands(...paths: string[]): Promise<void> {
  if (commandUser) for (const path of paths) await chown(path, commandUser.uid, commandUser.gid);
}
