import type { Declared } from '../../../contract/readiness-declared.ts';
import { secretsInUrl, secretsOf } from '../../../mcp/target.ts';
import { type Evidence, unknown } from '../../../readiness/evidence.ts';
import type { Capability } from '../../../readiness/index.ts';
import type { ServerContext } from '../../context/context.ts';
import { targetOf } from '../../live/target.ts';
import { hasAuthorizationHeader, usableGrant } from '../../servers/auth-method.ts';
import { authorization, unknownAuthorization } from './authorization.ts';
import { baseline, skills } from './catalogs.ts';
import { domainChallenge } from './domain-challenge.ts';
import { endpointFacts } from './endpoint.ts';
import { foreignOrigin } from './foreign-origin.ts';
import { type InspectedServer, inspectWithTimeout } from './inspected-server.ts';
import { probeWithoutCredentials } from './probe-without-credentials.ts';
import { registerClient } from './registration.ts';
import { session } from './session.ts';

/** Settings of an inspection, and whether it may have side effects. */
export interface Inspection {
  kind: 'claude' | 'openai';
  importsSkills: boolean;
  allowSideEffects: boolean;
  declared: Declared;
}

export interface Gathered {
  evidence: Evidence;
  capabilities: Capability[];
  authMode: 'headless' | 'interactive' | 'provided-token';
  /** Values to redact from findings. */
  secrets: string[];
}

/** Time limits of the parts, which run one after the other, in milliseconds. The time limit of the run applies too. */
const limits = {
  probe: 20_000,
  metadata: 15_000,
  origin: 15_000,
  register: 10_000,
  session: 60_000,
  list: 30_000,
};

/** Gathers the input of all checks. A part that fails or times out is unknown. */
export async function gather(
  context: ServerContext,
  { kind, importsSkills, allowSideEffects, declared }: Inspection,
  signal: AbortSignal,
): Promise<Gathered> {
  const { server } = context;
  const address = await targetOf(context, context.actor.organization.id, server, {}).address();
  if (address.kind !== 'http') throw new Error('only servers over HTTP are inspected');
  const place: InspectedServer = {
    context: { ...context, callerGone: () => signal },
    address,
    outbound: context.mcp.outbound.through(address.way),
    signal,
    kind,
    allowSideEffects,
    secrets: [...secretsOf(address), ...secretsInUrl(address.url)],
  };
  const probed = await inspectWithTimeout(place, 'The server', limits.probe, (ends) =>
    probeWithoutCredentials(place.outbound, address.url, ends),
  );
  const redirects = probed.known ? { known: true as const, value: probed.value.redirects } : probed;
  const challenge = !probed.known
    ? probed
    : probed.value.challenge
      ? { known: true as const, value: probed.value.challenge }
      : unknown('The redirects do not lead to an answer');
  const published = challenge.known
    ? await inspectWithTimeout(place, 'The OAuth metadata', limits.metadata, (ends) =>
        authorization(place, challenge.value, ends),
      )
    : challenge;
  const oauth = published.known ? published.value : unknownAuthorization(published.reason);
  const evidence: Evidence = {
    endpoint: endpointFacts(server),
    redirects,
    challenge,
    ...oauth,
    foreignOrigin: challenge.known
      ? await inspectWithTimeout(place, 'The check of the Origin', limits.origin, (ends) =>
          foreignOrigin(place, ends),
        )
      : challenge,
    domainChallenge:
      kind === 'openai'
        ? await inspectWithTimeout(place, 'The token of the domain', limits.origin, (ends) =>
            domainChallenge(place, ends),
          )
        : unknown('Not asked for by this directory'),
    registration: await registered(place, oauth),
    ...(await session(place, limits.session)),
    importsSkills,
    skills: importsSkills
      ? await inspectWithTimeout(place, 'The skills', limits.list, () => skills(place.context))
      : unknown('Skills are not submitted'),
    baseline:
      kind === 'openai'
        ? await inspectWithTimeout(place, 'The baseline', limits.list, () => baseline(place.context))
        : unknown('Not asked for by this directory'),
    declared,
  };
  return {
    evidence,
    capabilities: capabilitiesOf(evidence, allowSideEffects),
    authMode: authModeOf(context),
    secrets: place.secrets,
  };
}

async function registered(
  place: InspectedServer,
  { authorizationServer }: Pick<Evidence, 'authorizationServer'>,
): Promise<Evidence['registration']> {
  const server = authorizationServer.known ? authorizationServer.value : undefined;
  const endpoint = (server?.published ? server.registrationEndpoint : undefined) ?? '';
  if (!place.allowSideEffects || !/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    return unknown('No client was registered');
  return inspectWithTimeout(place, 'The registration', limits.register, (ends) =>
    registerClient(place, endpoint, ends),
  );
}

function capabilitiesOf(evidence: Evidence, allowSideEffects: boolean): Capability[] {
  const { session: seen, challenge, declared } = evidence;
  return [
    ...(seen.known && seen.value.open ? (['mcp-session'] as const) : []),
    ...(challenge.known ? (['oauth-discovery'] as const) : []),
    ...(Object.keys(declared).length > 0 ? (['declared-inputs'] as const) : []),
    ...(allowSideEffects ? (['side-effects'] as const) : []),
  ];
}

function authModeOf({ server }: ServerContext): Gathered['authMode'] {
  if (usableGrant(server) !== undefined) return 'interactive';
  return hasAuthorizationHeader(server.settings) || server.settings.headerNames.length > 0
    ? 'provided-token'
    : 'headless';
}
