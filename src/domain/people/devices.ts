import * as passwords from '../../platform/database/queries/passwords.ts';
import { newId } from '../../platform/ids.ts';
import type { VisitorContext } from '../context.ts';

const scope = ['known devices'];
/** Accounts that a browser is remembered for. */
const mostAccounts = 5;
/** Milliseconds since an account was last signed in to. */
const lasting = 180 * 86_400_000;

interface KnownFor {
  userId: string;
  /** Names the browser in the brakes of this account. */
  device: string;
  at: number;
  /** Of the password then: a browser is not known any longer once the account has another one. */
  password: string;
}

interface Account {
  userId: string;
  /** Of its password, if it has one. */
  hash: string | null | undefined;
}

/** Lets a browser show the token of a session, and remembers that it has signed in to the account. */
export async function letIn(context: VisitorContext, userId: string, token: string): Promise<void> {
  const { visitor, cursors, clock, db } = context;
  visitor.keepSession(token);
  const account = { userId, hash: (await db.row(passwords.ofUser, { userId }))?.hash };
  const others = knownFor(context).filter((one) => one.userId !== userId);
  const device = knownDevice(context, account) ?? newId('dev', clock());
  const entry: KnownFor = { userId, device, at: clock(), password: passwordMark(context, account) };
  visitor.keepDevice(cursors.seal(scope, JSON.stringify([entry, ...others].slice(0, mostAccounts))));
}

/** What the browser is called if it has signed in to the account before; nobody but us can write it down. */
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
  return known.filter(({ at }) => at > clock() - lasting);
}
