import { isIPv6 } from 'node:net';
import { Refusal } from '../../contract/errors.ts';
import * as attemptLimits from '../../platform/database/queries/attempt-limits.ts';
import type { PublicContext } from '../context/context.ts';

const minute = 60_000;
/**
 * Milliseconds. After `maxAttempts` within `memory`, attempts are blocked for a time that doubles with each further
 * failure, from `first` to `longest`.
 */
const pauses = { memory: 15 * minute, first: minute / 2, longest: 15 * minute };
const maxAttempts = {
  /** Per account and network, and per account and known device. */
  attempt: 5,
  device: 5,
  /** Per account, over all its known devices. */
  devices: 20,
  /** Per account, over all unknown devices. High, so that strangers cannot easily lock the owner out. */
  account: 50,
  /** Per network, over all accounts. */
  address: 20,
  /** Mails to one address. */
  reset: 3,
  /** Entries of guests per network. */
  guest: 200,
};

/** Counter of failed attempts. Stored in the database, so that replicas share it. */
type Subject = { kind: keyof typeof maxAttempts; of: string };

interface Attempt {
  email: string;
  address: string;
  /**
   * Set if this browser has signed in to the account before. Known devices have separate counters, so strangers
   * cannot exhaust them.
   */
  device: string | undefined;
}

/** Counters of an attempt, narrowest first: an attempt refused by one does not count toward the later ones. */
function subjectsOf({ email, address, device }: Attempt): Subject[] {
  if (device !== undefined)
    return [
      { kind: 'device', of: device },
      { kind: 'devices', of: email },
    ];
  return [
    { kind: 'attempt', of: `${email} ${networkOf(address)}` },
    { kind: 'address', of: address },
    { kind: 'account', of: email },
  ];
}

export function enforcePasswordAttemptLimits(context: PublicContext, attempt: Attempt): Promise<void> {
  return enforceAttemptLimit(context, ...subjectsOf(attempt));
}

/** After a correct password: resets the narrowest counter and takes this attempt off the shared ones. */
export async function releaseAttempt(context: PublicContext, attempt: Attempt): Promise<void> {
  for (const subject of subjectsOf(attempt)) {
    const own = subject.kind === 'attempt' || subject.kind === 'device';
    await context.db.run(own ? attemptLimits.clear : attemptLimits.releaseAttempt, {
      subject: nameOf(context.vault, subject),
    });
  }
}

/** Refuses during a pause, even with the correct password. Otherwise counts the attempt as a failure in advance. */
export async function enforceAttemptLimit(context: PublicContext, ...subjects: Subject[]): Promise<void> {
  for (const subject of subjects) {
    const wait = await countAttempt(context, subject);
    if (wait === undefined) continue;
    const seconds = Math.max(1, Math.ceil(wait / 1000));
    throw new Refusal('RATE_LIMITED', `Too many attempts. Try again in ${inWords(seconds)}`, {
      details: { retryAfterMs: Math.max(1, Math.ceil(wait)) },
      retryAfter: seconds,
    });
  }
}

/** Counts an attempt; returns the milliseconds of the pause, if one applies. */
export async function countAttempt(
  { db, vault }: Pick<PublicContext, 'db' | 'vault'>,
  subject: Subject,
): Promise<number | undefined> {
  const name = nameOf(vault, subject);
  if (await db.row(attemptLimits.take, { subject: name, most: maxAttempts[subject.kind], ...pauses }))
    return undefined;
  return (await db.row(attemptLimits.left, { subject: name }))?.ms ?? 1;
}

/** Takes a successful attempt off the network's counter. */
export async function releaseAddress(
  { db, vault }: Pick<PublicContext, 'db' | 'vault'>,
  address: string,
): Promise<void> {
  await db.run(attemptLimits.releaseAttempt, { subject: nameOf(vault, { kind: 'address', of: address }) });
}

/** Stores a fingerprint of the typed text: it may be a password entered in the wrong field. */
function nameOf(vault: PublicContext['vault'], { kind, of }: Subject): string {
  if (kind === 'address' || kind === 'guest') return `${kind} ${networkOf(of)}`;
  return `${kind} ${vault.fingerprint(of.trim().toLowerCase())}`;
}

/** IPv6 customers get whole networks, so addresses count by prefix. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail.split(':').filter(Boolean);
  const whole = address.includes('::')
    ? [...groups, ...Array<string>(8 - groups.length - rest.length).fill('0'), ...rest]
    : groups;
  const network = whole.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

function inWords(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
