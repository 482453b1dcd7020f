import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder } from '../durable.ts';
import { OperatorProblem } from '../problem.ts';

export interface MasterKey {
  /** Identifies the key without revealing it. */
  id: string;
  bytes: Buffer;
}

/** The first key encrypts; the others only decrypt values from before a rotation. */
export type KeyRing = readonly [MasterKey, ...MasterKey[]];

export interface KeySource {
  read(): KeyRing;
  /** Undefined if the key comes from the environment. */
  write?: (ring: KeyRing) => Promise<void>;
}

export function masterKeyPath(dataDir: string): string {
  return join(dataDir, 'master.key');
}

export function keysFromEnvironment(value: string): KeySource {
  const ring = parseKeys(value, 'DRYDOCK_MASTER_KEY');
  return { read: () => ring };
}

export function keysFromFile(path: string): KeySource {
  return {
    read: () => parseKeys(readKeyFile(path), path),
    write: (ring) => writeAtomically(path, `${ring.map((key) => key.bytes.toString('hex')).join('\n')}\n`),
  };
}

function readKeyFile(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      refuseShared(path, fstatSync(file).mode);
      return readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof OperatorProblem) throw error;
    throw new OperatorProblem(
      `The master key ${path} cannot be read (${(error as NodeJS.ErrnoException).code}), and the database contains secrets sealed with it. Put the file back, or set DRYDOCK_MASTER_KEY`,
    );
  }
}

/** Read access to the key means access to every secret; write access can destroy them all. */
function refuseShared(path: string, mode: number): void {
  if ((mode & 0o077) === 0) return;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  throw new OperatorProblem(
    `The master key ${path} is open to other users of this machine (mode ${shown}). Run: chmod 600 ${path}`,
  );
}

/** Creates the key of a new data directory. An existing file is left alone. */
export async function createKeyFile(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makeFolder(dirname(path));
  await writeNew(path, `${newMasterKey().bytes.toString('hex')}\n`);
  await syncFolder(dirname(path));
}

export function newMasterKey(): MasterKey {
  return keyOf(randomBytes(32));
}

/** One key per line, or separated by commas. */
export function parseKeys(text: string, where: string): KeyRing {
  const keys = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      if (!/^[0-9a-f]{64}$/i.test(line))
        throw new OperatorProblem(`${where} must contain 64 hex digits per key`);
      return keyOf(Buffer.from(line, 'hex'));
    });
  const [first, ...rest] = keys;
  if (!first) throw new OperatorProblem(`${where} contains no key`);
  return [first, ...rest];
}

function keyOf(bytes: Buffer): MasterKey {
  return {
    id: createHash('sha256').update('drydock master key').update(bytes).digest('hex').slice(0, 16),
    bytes,
  };
}

async function writeAtomically(path: string, content: string): Promise<void> {
  const staging = `${path}.new`;
  // A leftover file may be readable by others.
  await rm(staging, { force: true });
  await writeNew(staging, content);
  await rename(staging, path);
  await syncFolder(dirname(path));
}

async function writeNew(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
