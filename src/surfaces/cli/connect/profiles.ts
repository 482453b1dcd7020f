import { randomUUID } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readOwnFile } from '../../../platform/own-file.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { forgetKey, keepKey, keptKey } from './keyring.ts';

/** A login. */
export interface Profile {
  /** The origin, without `/api/v1`. */
  url: string;
  /** Missing when the system keyring stores it. */
  apiKey?: string;
  /** The default project of commands. */
  project?: string;
}

interface ProfilesFile {
  current?: string;
  profiles: Record<string, Profile>;
}

export function profilesPath(env: NodeJS.ProcessEnv = process.env): string {
  const folder =
    env['XDG_CONFIG_HOME'] || (process.platform === 'win32' && env['APPDATA']) || join(homedir(), '.config');
  return join(folder, 'drydock', 'profiles.json');
}

export async function readProfiles(): Promise<ProfilesFile> {
  const path = profilesPath();
  const text = profilesText(path);
  if (text === undefined) return { profiles: {} };
  if (text === '')
    throw new OperatorProblem(`${path} is empty, or other users can write to it. Remove it and log in again`);
  try {
    const { current, profiles } = JSON.parse(text) as Partial<ProfilesFile>;
    if (profiles && Object.values(profiles).every(isProfile))
      return { ...(typeof current === 'string' && { current }), profiles };
  } catch {
    // Same message as for other contents.
  }
  throw new OperatorProblem(`${path} does not contain profiles. Remove it and log in again`);
}

function profilesText(path: string): string | undefined {
  try {
    return readOwnFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new OperatorProblem(`Cannot read ${path}: ${message}`);
  }
}

function isProfile(value: unknown): value is Profile {
  const { url, apiKey = '', project = '' } = (value ?? {}) as Record<string, unknown>;
  return [url, apiKey, project].every((part) => typeof part === 'string');
}

/** The profile of this name, or the current one. */
export async function profileNamed(name?: string): Promise<{ name: string; profile: Profile } | undefined> {
  const file = await readProfiles();
  const wanted = name ?? file.current;
  if (wanted === undefined) return undefined;
  const profile = Object.hasOwn(file.profiles, wanted) ? file.profiles[wanted] : undefined;
  if (profile) return { name: wanted, profile };
  if (name === undefined) return undefined;
  const known = Object.keys(file.profiles);
  throw new OperatorProblem(
    `No profile ${name}. ${known.length === 0 ? 'Create one with: drydock login URL' : `Available: ${known.join(', ')}`}`,
  );
}

export async function keyOf(name: string, profile: Profile): Promise<string> {
  const key = profile.apiKey ?? (await keptKey(name));
  if (key !== undefined) return key;
  throw new OperatorProblem(
    `The keyring has no key for ${profile.url}. Log in again: drydock login ${profile.url}`,
  );
}

/** Saves a login as the current one. Returns where the key is stored. */
export async function saveProfile(
  name: string,
  profile: Omit<Profile, 'apiKey'>,
  apiKey: string,
): Promise<'keyring' | 'file'> {
  await readProfiles();
  const inKeyring = await keepKey(name, apiKey);
  // Read again: the keyring prompt may have taken a while.
  const { profiles } = await readProfiles();
  const kept = inKeyring ? profile : { ...profile, apiKey };
  // A spread instead of an assignment: a profile may be named `__proto__`.
  await writeProfiles({ current: name, profiles: { ...profiles, [name]: kept } });
  return inKeyring ? 'keyring' : 'file';
}

export async function selectProfile(name: string): Promise<void> {
  await profileNamed(name);
  await writeProfiles({ ...(await readProfiles()), current: name });
}

export async function removeProfile(name: string): Promise<void> {
  await profileNamed(name);
  const { current, profiles } = await readProfiles();
  const { [name]: _removed, ...rest } = profiles;
  await forgetKey(name);
  await writeProfiles({ ...(current !== undefined && current !== name && { current }), profiles: rest });
}

/** Writes the file atomically, readable by its owner only from the start. */
async function writeProfiles(file: ProfilesFile): Promise<void> {
  const path = profilesPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A random name, so that no other user can have created the file before.
  const beside = `${path}.${randomUUID()}`;
  const handle = await open(beside, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(beside, path);
}
