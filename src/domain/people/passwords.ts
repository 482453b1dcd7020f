import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import { Semaphore } from '../../platform/flow/semaphore.ts';
import { commonPasswords } from './common-passwords.ts';

/** OWASP parameters for scrypt: 32 MB, and about 250 ms per guess on a small machine. */
const cost = { exponent: 15, blockSize: 8, parallelization: 3 };
const keyLength = 32;
/** Characters, after Unicode normalization. */
const shortest = 10;
/** Concurrent derivations per process: each uses 32 MB and a CPU core. */
const lanes = 2;
/** Queue limit; a longer queue would exceed people's patience. */
const maxWaiting = 40;
/** Seconds. */
const retryAfter = 10;

const derivations = new Semaphore(lanes, {
  total: lanes + maxWaiting,
  error: () =>
    new Refusal('RATE_LIMITED', `Too many concurrent sign-ins. Try again in ${retryAfter} s`, { retryAfter }),
});

/** Stored format: the function with its parameters, the salt and the derived key. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const { exponent, blockSize, parallelization } = cost;
  const key = await derive(password, salt, cost);
  const parts = [exponent, blockSize, parallelization, salt.toString('base64url'), key.toString('base64url')];
  return `scrypt$${parts.join('$')}`;
}

/** Hash that no password matches, so that accounts without a password take as long to check as others. */
const nobodys = `scrypt$15$8$3$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Without a hash, takes the same time and returns false. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, exponent, blockSize, parallelization, salt, key] = (hash ?? nobodys).split('$');
  const kept = Buffer.from(key as string, 'base64url');
  const made = await derive(password, Buffer.from(salt as string, 'base64url'), {
    exponent: Number(exponent),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
  });
  return timingSafeEqual(made, kept) && hash !== undefined;
}

/** Unicode has several encodings of the same letters, and keyboards differ. */
function normalized(text: string): string {
  return text.normalize('NFKC');
}

/** Why the password is not allowed, or undefined. */
function problemOfPassword(password: string, email: string): string | undefined {
  const normal = normalized(password);
  if (normal.length < shortest) return `Choose at least ${shortest} characters`;
  const typed = normal.trim().toLowerCase();
  const address = normalized(email).toLowerCase();
  const [mailbox] = address.split('@');
  if (typed === address || typed === mailbox)
    return 'Your password cannot be your email address or the part before the @';
  if (commonPasswords.has(typed) || new Set(typed).size < 4)
    return 'This password is too easy to guess. Choose another one';
  return undefined;
}

export function checkPassword(password: string, email: string): void {
  const problem = problemOfPassword(password, email);
  if (problem !== undefined)
    throw new Refusal('VALIDATION_ERROR', problem, { details: { reason: 'WEAK_PASSWORD' } });
}

async function derive(password: string, salt: Buffer, { exponent, blockSize, parallelization }: typeof cost) {
  const options = { N: 2 ** exponent, r: blockSize, p: parallelization, maxmem: 2 ** 27 };
  return derivations.run(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(normalized(password), salt, keyLength, options, (error, key) =>
          error ? reject(error) : resolve(key),
        );
      }),
  );
}

/** Refuses with 429 while too many password checks wait. */
export function mustHaveRoom(): void {
  derivations.mustHaveRoom();
}
