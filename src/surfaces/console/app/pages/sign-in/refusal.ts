import { DrydockError } from '../../../../client/index.ts';
import { factsOf } from '../../api/problem.ts';

/** Text of an authentication error: what happened, and what to do. */
export interface DoorText {
  happened: string;
  next: string;
  /** For troubleshooting, if there is no specific advice. */
  requestId: string | undefined;
}

/** Keyed by the reason in the error. */
const known: Record<string, [happened: string, next: string]> = {
  WRONG_PASSWORD: ['Incorrect email or password.', 'Check both and try again.'],
  'WRONG_PASSWORD FORBIDDEN': ['Incorrect password.', 'Enter your current password.'],
  UNKNOWN: [
    'This link is not valid.',
    'Part of it may be missing. Copy the whole link, or ask for a new one.',
  ],
  USED: ['This link has already been used.', 'If you used it, sign in. Otherwise ask for a new one.'],
  WITHDRAWN: [
    'This link was revoked.',
    'A newer link may exist, or the password has changed. Ask for a new one.',
  ],
  MAKER_NOT_ALLOWED: [
    'The creator of this link no longer has permission to invite you.',
    'Ask an administrator of the organization for a new one.',
  ],
  EXPIRED: ['This link has expired.', 'Ask the sender for a new one.'],
  SIGN_IN_FIRST: ['This link belongs to an existing account.', 'Sign in to it first.'],
  EMAIL_TAKEN: ['An account with this email already exists.', 'Use another email, or sign in.'],
  CONFIRM: ['This needs a recent sign-in.', 'Sign out, sign in again, and retry within ten minutes.'],
  EMAIL_INVITED: ['This email already has an invitation.', 'Revoke that invitation, or use another email.'],
  WEAK_PASSWORD: ['That password is too easy to guess.', 'Choose a longer, less common password.'],
  OIDC_STATE: [
    'This sign-in has expired or was started in another browser.',
    'Start again from the sign-in page.',
  ],
  OIDC_INVALID: ['The response of the provider could not be verified.', 'Start again.'],
  SIGN_IN_TO_LINK: [
    'An account with your email already exists.',
    'Sign in to it, then link this identity on your account page.',
  ],
  IDENTITY_TAKEN: ['This identity belongs to another account.', 'Sign out, then sign in to that account.'],
  EMAIL_NOT_VERIFIED: [
    'The provider has not verified your email.',
    'Verify it with the provider, or ask an administrator for an invitation.',
  ],
  DOMAIN_NOT_ALLOWED: [
    'Your email domain is not allowed to sign in.',
    'Use another account at the provider, or ask an administrator.',
  ],
  FEATURE_NOT_SUPPORTED: ['No sign-in provider is configured.', 'Sign in with your password.'],
  NOT_INVITED: ['You have not been invited.', 'Ask an administrator of your organization.'],
};

export function doorText(error: unknown): DoorText {
  const { message, advice, requestId } = factsOf(error);
  if (!(error instanceof DrydockError)) return { happened: message, next: advice, requestId };
  if (error.code === 'RATE_LIMITED')
    return {
      happened: 'Too many attempts.',
      next: `Wait ${secondsToWait(error)} s. Until then, even the correct password is refused.`,
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

/** Seconds until a retry can succeed. */
export function secondsToWait(error: unknown): number {
  return error instanceof DrydockError && error.code === 'RATE_LIMITED'
    ? Math.ceil(error.retryAfter ?? 0)
    : 0;
}
