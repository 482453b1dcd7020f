import { randomUUID } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readOwnFile } from '../../../platform/own-file.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { forgetKey, keepKey, keptKey } from './keyring.ts';

/** A service one has logged in to. */
export interface Profile {
  /** The origin, without `/api/v1`. */
  url: string;
  /** Left out when the system's keyring keeps it. */
  apiKey?: string;
  /** The project that commands mean when they name none. */
  project?: string;
}

interface ProfilesFile {
  current?: string;
  profiles: Record<string, Profile>;
}

/** In the user's configuration folder; nobody else may read it. */
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
    throw new OperatorProblem(
      `${path} is empty, or somebody else may have written it. Remove it, and log in again`,
    );
  try {
    const { current, profiles } = JSON.parse(text) as Partial<ProfilesFile>;
    if (profiles && Object.values(profiles).every(isProfile))
      return { ...(typeof current === 'string' && { current }), profiles };
  } catch {
    // It is said below.
  }
  throw new OperatorProblem(`${path} does not hold profiles. Remove it, and log in again`);
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
    `No profile ${name}. ${known.length === 0 ? 'Make one with: drydock login URL' : `There are: ${known.join(', ')}`}`,
  );
}

export async function keyOf(name: string, profile: Profile): Promise<string> {
  const key = profile.apiKey ?? (await keptKey(name));
  if (key !== undefined) return key;
  throw new OperatorProblem(
    `The keyring does not give the key of ${profile.url}. Log in again: drydock login ${profile.url}`,
  );
}

/** Keeps a login, and makes it the current one. Says where the key went. */
export async function saveProfile(
  name: string,
  profile: Omit<Profile, 'apiKey'>,
  apiKey: string,
): Promise<'keyring' | 'file'> {
  await readProfiles();
  const inKeyring = await keepKey(name, apiKey);
  // Read again: the keyring may have asked somebody meanwhile.
  const { profiles } = await readProfiles();
  const kept = inKeyring ? profile : { ...profile, apiKey };
  // Not assigned: a profile may be called `__proto__`.
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

/** Whole or not at all, and readable by the owner alone from the first byte on. */
async function writeProfiles(file: ProfilesFile): Promise<void> {
  const path = profilesPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Nobody can have put a file of theirs there before.
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
