import { Refusal } from '../../../contract/errors.ts';
import { configuredOrigin, type PublicContext, type VisitorContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { enforceAttemptLimit, releaseAddress } from '../attempt-limits.ts';
import { confirmPresence } from '../confirm.ts';
import { setSignInCookies } from '../devices.ts';
import { beginSession, signedIn } from '../session.ts';
import { accountOf } from './account.ts';
import type { Attempt, Claims, Provider } from './provider.ts';

/** Milliseconds the user has to sign in at the provider. */
const signInTimeout = 600_000;
const scope = ['oidc'];

/** Sealed in a cookie between the two steps. */
interface PendingSignIn extends Attempt {
  returnTo: string | null;
  /** Session that began the sign-in; the identity may only be linked to its account. */
  sessionId: string | null;
  startedAt: number;
}

export const startOidc: Verb<'startOidc'> = async (
  context,
  { body: { returnTo = null, currentPassword } },
) => {
  const provider = await providerOf(context);
  const { person } = context;
  if (person) await confirmPresence({ ...context, person }, currentPassword);
  const { url, attempt } = await provider.begin(callbackOf(context)).catch((error: unknown) => {
    throw refusedBy(context, error);
  });
  const sessionId = person?.sessionId ?? null;
  const kept: PendingSignIn = { ...attempt, returnTo, sessionId, startedAt: context.clock() };
  context.visitor.keepState(context.cursors.seal(scope, JSON.stringify(kept)));
  return { url };
};

export const finishOidc: Verb<'finishOidc'> = async (context, { body: { search } }) => {
  const { db, visitor } = context;
  const provider = await providerOf(context);
  const { returnTo, ...attempt } = keptBy(context);
  visitor.keepState(undefined);
  await enforceAttemptLimit(context, { kind: 'address', of: visitor.address });
  const back = `${callbackOf(context)}?${search.replace(/^\?/, '')}`;
  const claims: Claims = await provider.finish(back, attempt).catch((error: unknown) => {
    throw refusedBy(context, error);
  });
  const { userId, session } = await db.transaction(async (trx) => {
    const userId = await accountOf(context, trx, claims);
    return { userId, session: await beginSession(context, trx, userId, 'oidc') };
  });
  await releaseAddress(context, visitor.address);
  await setSignInCookies(context, userId, session.token);
  return { ...(await signedIn(context, userId, session.id)), returnTo };
};

/** From the settings only: a browser at another host would not send the cookie there. */
function callbackOf(context: PublicContext): string {
  const origin = configuredOrigin(context);
  const here = context.origin();
  if (here !== origin)
    throw new Refusal(
      'FEATURE_NOT_SUPPORTED',
      `${context.config.oidcName} sends you back to ${origin}. Open the console there, or ask the operator to set DRYDOCK_PUBLIC_URL to ${here}`,
      { details: { reason: 'PUBLIC_URL_NEEDED' } },
    );
  return `${origin}/console/oidc`;
}

/** Loads the library on first use. */
async function providerOf({ config }: PublicContext): Promise<Provider> {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  if (issuer === undefined || clientId === undefined)
    throw new Refusal('FEATURE_NOT_SUPPORTED', 'Single sign-on is not configured on this installation');
  const { openProvider } = await import('./provider.ts');
  return openProvider({ issuer, clientId, clientSecret });
}

/** Only the browser that began may finish, in time, and with the same session. */
function keptBy({ visitor, cursors, clock, person }: VisitorContext): PendingSignIn {
  const sealed = visitor.state();
  const text = sealed === undefined ? undefined : cursors.open(scope, sealed);
  const kept = text === undefined ? undefined : (JSON.parse(text) as PendingSignIn);
  const same = kept?.sessionId === (person?.sessionId ?? null);
  if (kept && same && clock() - kept.startedAt < signInTimeout) return kept;
  throw new Refusal(
    'UNAUTHORIZED',
    'This sign-in was started in another browser or session, or has expired. Start again',
    {
      details: { reason: 'OIDC_STATE' },
    },
  );
}

/** Logs only the error code, since the rest of the library's error may contain tokens. */
function refusedBy({ log, requestId, config }: VisitorContext, error: unknown): Refusal {
  const { code = 'unknown', error: said, name } = error as { code?: string; error?: string; name?: string };
  if (typeof said === 'string' && /^[a-z_]{1,60}$/.test(said)) {
    log.info('The OpenID provider refused a sign-in', { requestId, reason: said });
    return new Refusal('UNAUTHORIZED', `${config.oidcName} refused: ${said}`, {
      details: { reason: 'OIDC_REFUSED', error: said },
    });
  }
  log.warn('Signing in with the OpenID provider failed', { requestId, reason: code, kind: name });
  if (isAbsent(error))
    return new Refusal(
      'SERVER_UNREACHABLE',
      `${config.oidcName} does not answer. Try again, or use your password`,
    );
  return new Refusal(
    'UNAUTHORIZED',
    `The response of ${config.oidcName} could not be verified. Start again`,
    {
      details: { reason: 'OIDC_INVALID' },
    },
  );
}

/** The provider did not respond, or not as an OpenID provider. */
function isAbsent(error: unknown): boolean {
  const { code, name } = error as { code?: string; name?: string };
  return (
    name === 'TypeError' ||
    ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'].includes(code ?? '')
  );
}
