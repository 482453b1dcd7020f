import { isIPv6 } from 'node:net';
import { Refusal } from '../../contract/errors.ts';
import * as brakes from '../../platform/database/queries/brakes.ts';
import type { PublicContext } from '../context.ts';

const minute = 60_000;
/** From `most` attempts within `memory` on there is a pause, which doubles. */
const pauses = { memory: 15 * minute, first: minute / 2, longest: 15 * minute };
const most = {
  /** One account from one network, and from one device that has signed in to it before. */
  attempt: 5,
  device: 5,
  /** One account from all devices that have signed in to it. */
  devices: 20,
  /** One account from everywhere, known devices left out: so many that a stranger does not soon lock its owner out. */
  account: 50,
  /** Any accounts from one network. */
  address: 20,
  reset: 3,
  guest: 200,
};

/** Counts of failures, by what they have in common. They are in the database, so that replicas share them. */
type Subject = { kind: keyof typeof most; of: string };

/** An attempt to show a password. */
interface Attempt {
  email: string;
  address: string;
  /** Where the account was signed in to before. Nobody else has it, so that others cannot use up its attempts. */
  device: string | undefined;
}

/** What an attempt counts for, the narrowest first: one that is refused there counts for nothing wider. */
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

export function brakeAttempt(context: PublicContext, attempt: Attempt): Promise<void> {
  return brake(context, ...subjectsOf(attempt));
}

/** The password was right: its own count begins anew, and those that it shares with others have one failure less. */
export async function releaseAttempt(context: PublicContext, attempt: Attempt): Promise<void> {
  for (const subject of subjectsOf(attempt)) {
    const own = subject.kind === 'attempt' || subject.kind === 'device';
    await context.db.run(own ? brakes.clear : brakes.giveBack, { subject: nameOf(context.vault, subject) });
  }
}

/** Refuses while there is a pause, also whoever would be right; otherwise counts the attempt, as if it failed. */
export async function brake(context: PublicContext, ...subjects: Subject[]): Promise<void> {
  for (const subject of subjects) {
    const wait = await pauseOf(context, subject);
    if (wait === undefined) continue;
    const seconds = Math.max(1, Math.ceil(wait / 1000));
    throw new Refusal('RATE_LIMITED', `Too many attempts. Try again in ${inWords(seconds)}`, {
      details: { retryAfterMs: Math.max(1, Math.ceil(wait)) },
      retryAfter: seconds,
    });
  }
}

/** Counts an attempt; milliseconds of the pause when there is one. */
export async function pauseOf(
  { db, vault }: Pick<PublicContext, 'db' | 'vault'>,
  subject: Subject,
): Promise<number | undefined> {
  const name = nameOf(vault, subject);
  if (await db.row(brakes.take, { subject: name, most: most[subject.kind], ...pauses })) return undefined;
  return (await db.row(brakes.left, { subject: name }))?.ms ?? 1;
}

/** An attempt from there did not fail. */
export async function releaseAddress(
  { db, vault }: Pick<PublicContext, 'db' | 'vault'>,
  address: string,
): Promise<void> {
  await db.run(brakes.giveBack, { subject: nameOf(vault, { kind: 'address', of: address }) });
}

/** What somebody typed is not kept: it may be a password in the wrong field. */
function nameOf(vault: PublicContext['vault'], { kind, of }: Subject): string {
  if (kind === 'address' || kind === 'guest') return `${kind} ${networkOf(of)}`;
  return `${kind} ${vault.fingerprint(of.trim().toLowerCase())}`;
}

/** A customer of IPv6 has a whole network of addresses. */
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
