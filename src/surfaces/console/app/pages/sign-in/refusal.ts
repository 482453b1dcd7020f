import { DrydockError } from '../../../../client/index.ts';
import { factsOf } from '../../api/problem.ts';

/** A refusal at the door: what happened, and what to do now. */
export interface DoorWords {
  happened: string;
  next: string;
  /** For whoever looks into it, where nothing else helps. */
  requestId: string | undefined;
}

/** By the reason that the service gives. */
const known: Record<string, [happened: string, next: string]> = {
  WRONG_PASSWORD: ['The e-mail address or the password is wrong.', 'Check both and try again.'],
  'WRONG_PASSWORD FORBIDDEN': ['That is not your password.', 'Type the one that you sign in with.'],
  UNKNOWN: [
    'This link does not work.',
    'A part of it may be missing. Copy it whole, or ask for another one.',
  ],
  USED: [
    'This link was used already, and works once.',
    'If that was you, sign in. Otherwise ask for another one.',
  ],
  WITHDRAWN: [
    'This link was withdrawn.',
    'There may be a newer one, or the password was changed since. Ask for another one.',
  ],
  MAKER_NOT_ALLOWED: [
    'Whoever made this link may no longer let you in.',
    'Ask an administrator of the organization for another one.',
  ],
  EXPIRED: ['The time of this link is over.', 'Ask whoever sent it for another one.'],
  SIGN_IN_FIRST: ['There is an account that this link is for.', 'Sign in with it first.'],
  EMAIL_TAKEN: ['There is an account with this e-mail address.', 'Use another one, or sign in to it.'],
  CONFIRM: ['You signed in a while ago.', 'Sign out and in again, and do this within ten minutes.'],
  EMAIL_INVITED: [
    'Somebody is invited with this e-mail address.',
    'Have the invitation taken back, or use another address.',
  ],
  WEAK_PASSWORD: ['That password is too easy to guess.', 'Choose a longer one that is not in common use.'],
  OIDC_STATE: [
    'This sign-in was not begun in this browser, or too long ago.',
    'Begin again from the sign-in page.',
  ],
  OIDC_INVALID: ['What the provider said about you could not be verified.', 'Begin again.'],
  SIGN_IN_TO_LINK: [
    'There is an account with your e-mail address already.',
    'Sign in to it as before, then link this identity on your account page.',
  ],
  IDENTITY_TAKEN: ['This identity belongs to another account.', 'Sign out first to enter that one.'],
  EMAIL_NOT_VERIFIED: [
    'The provider does not vouch for your e-mail address.',
    'Confirm it with the provider, or ask an administrator for an invitation.',
  ],
  DOMAIN_NOT_ALLOWED: [
    'Your e-mail address is not of a domain that may sign in here.',
    'Use another account of the provider, or ask an administrator.',
  ],
  FEATURE_NOT_SUPPORTED: [
    'This installation has no provider to sign in with.',
    'Sign in with your password.',
  ],
  NOT_INVITED: ['Nobody has invited you yet.', 'Ask an administrator of your organization.'],
};

export function doorWords(error: unknown): DoorWords {
  const { message, advice, requestId } = factsOf(error);
  if (!(error instanceof DrydockError)) return { happened: message, next: advice, requestId };
  if (error.code === 'RATE_LIMITED')
    return {
      happened: 'There were too many attempts.',
      next: `Wait ${secondsToWait(error)} s. Until then a right password is refused too.`,
      requestId: undefined,
    };
  const reason = String(error.details['reason']);
  const words = known[`${reason} ${error.code}`] ?? known[reason] ?? known[error.code];
  if (words) return { happened: words[0], next: words[1], requestId: undefined };
  const refused = error.code === 'VALIDATION_ERROR' || error.details['reason'] === 'OIDC_REFUSED';
  return {
    happened: `${message.replace(/\.$/, '')}.`,
    next: refused ? 'Correct it and try again.' : advice,
    requestId: refused ? undefined : requestId,
  };
}

/** Seconds that have to pass before it is of any use to try again. */
export function secondsToWait(error: unknown): number {
  return error instanceof DrydockError && error.code === 'RATE_LIMITED'
    ? Math.ceil(error.retryAfter ?? 0)
    : 0;
}
