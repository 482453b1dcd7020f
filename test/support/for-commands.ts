import { chown } from 'node:fs/promises';
import { commandAccount } from '../../src/platform/accounts.ts';

/** The user that commands run as by default; undefined if it is the user of the tests. */
export const commandUser = commandAccount(undefined);

/** Gives files to the user of commands, so that commands can change them. */
export async function giveToCommands(...paths: string[]): Promise<void> {
  if (commandUser) for (const path of paths) await chown(path, commandUser.uid, commandUser.gid);
}
