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
}

/** Lets a browser show the token of a session, and remembers that it has signed in to the account. */
export function letIn(context: VisitorContext, userId: string, token: string): void {
  const { visitor, cursors, clock } = context;
  visitor.keepSession(token);
  const others = knownFor(context).filter((one) => one.userId !== userId);
  const entry = { userId, device: knownDevice(context, userId) ?? newId('dev', clock()), at: clock() };
  visitor.keepDevice(cursors.seal(scope, JSON.stringify([entry, ...others].slice(0, mostAccounts))));
}

/** What the browser is called if it has signed in to the account before; nobody but us can write it down. */
export function knownDevice(context: VisitorContext, userId: string | undefined): string | undefined {
  return knownFor(context).find((one) => one.userId === userId)?.device;
}

function knownFor({ visitor, cursors, clock }: VisitorContext): KnownFor[] {
  const sealed = visitor.device();
  const text = sealed === undefined ? undefined : cursors.open(scope, sealed);
  const known = text === undefined ? [] : (JSON.parse(text) as KnownFor[]);
  return known.filter(({ at }) => at > clock() - lasting);
}
