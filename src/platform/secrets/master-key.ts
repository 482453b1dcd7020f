import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, open, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorProblem } from '../problem.ts';

export interface MasterKey {
  /** Says which key it is without saying the key. */
  id: string;
  bytes: Buffer;
}

/** The first key seals; the others only open what they sealed before a rotation. */
export type KeyRing = readonly [MasterKey, ...MasterKey[]];

export interface KeySource {
  read(): KeyRing;
  /** Undefined when the operator keeps the key in the environment. */
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
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new OperatorProblem(
      `The master key ${path} cannot be read (${(error as NodeJS.ErrnoException).code}), and the database holds secrets sealed with it. Put the file back, or set DRYDOCK_MASTER_KEY`,
    );
  }
}

/** Makes the key of a new data directory; an existing file is left alone. */
export async function createKeyFile(path: string): Promise<void> {
  if (existsSync(path)) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, `${newMasterKey().bytes.toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
}

export function newMasterKey(): MasterKey {
  return keyOf(randomBytes(32));
}

/** One key per line, or between commas. */
export function parseKeys(text: string, where: string): KeyRing {
  const keys = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      if (!/^[0-9a-f]{64}$/i.test(line))
        throw new OperatorProblem(`${where} must hold 64 hex digits per key`);
      return keyOf(Buffer.from(line, 'hex'));
    });
  const [first, ...rest] = keys;
  if (!first) throw new OperatorProblem(`${where} holds no key`);
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
  const file = await open(staging, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await chmod(staging, 0o600);
  await rename(staging, path);
}
