import * as passwords from '../../platform/database/queries/passwords.ts';
import { newId } from '../../platform/ids.ts';
import type { VisitorContext } from '../context/context.ts';

const scope = ['known devices'];
/** Accounts remembered per browser. */
const maxAccounts = 5;
/** Milliseconds since the last sign-in after which an account is forgotten. */
const maxAge = 180 * 86_400_000;

interface KnownFor {
  userId: string;
  /** Key of the browser in the attempt counters of this account. */
  device: string;
  at: number;
  /** Fingerprint of the password at that time: changing the password forgets the browser. */
  password: string;
}

interface Account {
  userId: string;
  /** Password hash, if the account has a password. */
  hash: string | null | undefined;
}

/** Sets the session cookie, and remembers in the browser that it has signed in to the account. */
export async function setSignInCookies(
  context: VisitorContext,
  userId: string,
  token: string,
): Promise<void> {
  const { visitor, cursors, clock, db } = context;
  visitor.keepSession(token);
  const account = { userId, hash: (await db.row(passwords.ofUser, { userId }))?.hash };
  const others = knownFor(context).filter((one) => one.userId !== userId);
  const device = knownDevice(context, account) ?? newId('dev', clock());
  const entry: KnownFor = { userId, device, at: clock(), password: passwordMark(context, account) };
  visitor.keepDevice(cursors.seal(scope, JSON.stringify([entry, ...others].slice(0, maxAccounts))));
}

/** Device ID of a browser that has signed in to the account before. The cookie is sealed, so it cannot be forged. */
export function knownDevice(context: VisitorContext, account: Account | undefined): string | undefined {
  if (!account) return undefined;
  const password = passwordMark(context, account);
  return knownFor(context).find((one) => one.userId === account.userId && one.password === password)?.device;
}

function passwordMark({ vault }: VisitorContext, { hash }: Account): string {
  return vault.fingerprint(`known device ${hash ?? ''}`).slice(0, 16);
}

function knownFor({ visitor, cursors, clock }: VisitorContext): KnownFor[] {
  const sealed = visitor.device();
  const text = sealed === undefined ? undefined : cursors.open(scope, sealed);
  const known = text === undefined ? [] : (JSON.parse(text) as KnownFor[]);
  return known.filter(({ at }) => at > clock() - maxAge);
}
