import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import { commonPasswords } from './common-passwords.ts';

/** As OWASP gives them: 32 MB and, on a small machine, a quarter of a second for each guess. */
const cost = { exponent: 15, blockSize: 8, parallelization: 3 };
const keyLength = 32;
/** Characters, of the form in which they are compared. */
const shortest = 10;
/** At once in this process: each fills 32 MB and keeps a core busy. */
const lanes = 2;
/** More would wait for longer than people do. */
const mostWaiting = 40;

let running = 0;
const waiting: (() => void)[] = [];

/** What is kept of a password: the function with its parameters, the salt and what came out. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const { exponent, blockSize, parallelization } = cost;
  const key = await derive(password, salt, cost);
  const parts = [exponent, blockSize, parallelization, salt.toString('base64url'), key.toString('base64url')];
  return `scrypt$${parts.join('$')}`;
}

/** A hash of nothing that anybody could type, so that those without a password take as long as those with one. */
const nobodys = `scrypt$15$8$3$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Without a hash it takes as long, and is never right. */
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

/** The same letters can be written in several ways; keyboards differ. */
function normalized(text: string): string {
  return text.normalize('NFKC');
}

/** Why it may not be chosen. */
function problemOfPassword(password: string, email: string): string | undefined {
  const normal = normalized(password);
  if (normal.length < shortest) return `Choose at least ${shortest} characters`;
  const typed = normal.trim().toLowerCase();
  const address = normalized(email).toLowerCase();
  const [mailbox] = address.split('@');
  if (typed === address || typed === mailbox) return 'Choose something else than your e-mail address';
  if (commonPasswords.has(typed) || new Set(typed).size < 4)
    return 'That is among the first that anybody would try. Choose another one';
  return undefined;
}

export function checkPassword(password: string, email: string): void {
  const problem = problemOfPassword(password, email);
  if (problem !== undefined)
    throw new Refusal('VALIDATION_ERROR', problem, { details: { reason: 'WEAK_PASSWORD' } });
}

async function derive(password: string, salt: Buffer, { exponent, blockSize, parallelization }: typeof cost) {
  await turn();
  const options = { N: 2 ** exponent, r: blockSize, p: parallelization, maxmem: 2 ** 27 };
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      scrypt(normalized(password), salt, keyLength, options, (error, key) =>
        error ? reject(error) : resolve(key),
      );
    });
  } finally {
    // Whoever comes next takes over the place.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** Refuses while so many wait that the next one would wait for too long. */
export function mustHaveRoom(): void {
  if (running === lanes && waiting.length >= mostWaiting)
    throw new Refusal('RATE_LIMITED', 'Too many people are signing in just now. Try again in a moment', {
      retryAfter: 10,
    });
}

async function turn(): Promise<void> {
  mustHaveRoom();
  if (running < lanes) return void running++;
  await new Promise<void>((resolve) => waiting.push(resolve));
}
