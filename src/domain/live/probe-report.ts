import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { McpFailure } from '../../mcp/failures.ts';
import type { ProbeFindings } from '../../mcp/probe.ts';
import { adviceFor } from './advice.ts';

const legacyVersions = new Set(['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);

type Report = OutputOf<Operations['runDoctor']>;
type Probe = NonNullable<Report['probe']>;
export type Check = Report['checks']['probe'];

/** Findings and verdict of a probe in the form of the API. */
export function examineProbe(
  url: string,
  findings: ProbeFindings,
  hasCredentials: boolean,
): { probe: Probe; check: Check } {
  const { authorization, unauthorized, legacyVersion, modernVersions, transport } = findings;
  const status = statusOf(findings);
  const supported = [
    ...new Set([...modernVersions, ...(legacyVersion === undefined ? [] : [legacyVersion])]),
  ];
  const required = status === 'oauth_required';
  const optional = unauthorized === undefined && authorization.resourceMetadata !== undefined;
  const trouble =
    findings.failure ?? (status === 'reachable' && !unauthorized ? notMcp(findings) : undefined);
  const probe: Probe = {
    url,
    protocolVersion: modernVersions[0] ?? legacyVersion ?? null,
    supportedVersions: supported,
    status,
    transport: { selected: transport, attempts: findings.attempts },
    ...(findings.initialize && { initialize: findings.initialize }),
    oauth: {
      required,
      optional,
      ...(findings.wwwAuthenticate !== undefined && { wwwAuthenticate: findings.wwwAuthenticate }),
      ...(authorization.resourceMetadataUrl !== undefined && {
        resourceMetadataUrl: authorization.resourceMetadataUrl,
      }),
      ...(authorization.resourceMetadata && { resourceMetadata: authorization.resourceMetadata }),
      ...(authorization.authorizationServerMetadata && {
        authorizationServerMetadata: authorization.authorizationServerMetadata,
      }),
      registrationStrategies: strategiesOf(findings, required || optional),
      ...(unauthorized && authorization.problem !== undefined && { discoveryError: authorization.problem }),
    },
    ...(trouble && { error: trouble.message }),
  };
  return { probe, check: checkOf(probe, findings, hasCredentials) };
}

function statusOf({ failure, unauthorized, transport, authorization }: ProbeFindings): Probe['status'] {
  if (unauthorized) {
    const { challenge } = unauthorized.facts;
    const bearer = challenge === undefined || challenge.scheme.toLowerCase() === 'bearer';
    const published = challenge?.resourceMetadataUrl ?? authorization.authorizationServerMetadata;
    return bearer && (published !== undefined || challenge === undefined) ? 'oauth_required' : 'reachable';
  }
  if (failure) return 'error';
  return transport === null ? 'reachable' : 'ready';
}

/** Preregistered client IDs always work. */
function strategiesOf(
  { authorization: { authorizationServerMetadata: metadata } }: ProbeFindings,
  usesOAuth: boolean,
): ('preregistered' | 'dcr' | 'cimd')[] {
  return [
    ...(usesOAuth ? (['preregistered'] as const) : []),
    ...(metadata?.registration_endpoint === undefined ? [] : (['dcr'] as const)),
    ...(metadata?.client_id_metadata_document_supported ? (['cimd'] as const) : []),
  ];
}

function checkOf(probe: Probe, findings: ProbeFindings, hasCredentials: boolean): Check {
  const { failure, unauthorized, authorization } = findings;
  if (unauthorized) return authorizationCheck(probe, findings, hasCredentials);
  if (failure) return { status: 'error', detail: adviceFor(failure) };
  const { legacyVersion, modernVersions } = findings;
  if (legacyVersion !== undefined && modernVersions.length === 0 && !legacyVersions.has(legacyVersion))
    return {
      status: 'error',
      detail: `Only supports protocol revision ${legacyVersion.slice(0, 100)}, which clients do not support. Update the server.`,
    };
  if (probe.status === 'reachable') return { status: 'error', detail: adviceFor(notMcp(findings)) };
  return {
    status: 'ok',
    detail: `${eraOf(findings)}${authorization.resourceMetadata ? ' It offers OAuth, but does not ask for it.' : ''}`,
  };
}

function authorizationCheck(probe: Probe, findings: ProbeFindings, hasCredentials: boolean): Check {
  const { problem } = findings.authorization;
  const trouble = problem === undefined ? '' : ` ${problem}.`;
  const scheme = findings.unauthorized?.facts.challenge?.scheme ?? '';
  if (probe.status !== 'oauth_required')
    return hasCredentials
      ? { status: 'ok', detail: 'The server requires authorization. Stored credentials are tried next.' }
      : {
          status: 'error',
          detail: `The server requires ${scheme || 'an unknown kind of'} authorization and publishes no OAuth metadata. If it accepts a key or a fixed token, save it in \`headers\`.`,
        };
  if (hasCredentials)
    return { status: 'ok', detail: `The server requires OAuth. The stored tokens are tried next.${trouble}` };
  if (scheme === '' && findings.authorization.authorizationServerMetadata === undefined)
    return {
      status: 'error',
      detail: `The server requires authorization without naming a scheme. If it is OAuth, complete it and import the tokens. If it accepts a key or a fixed token, save it in \`headers\`.`,
    };
  return {
    status: 'error',
    detail: `The server requires OAuth. Complete it and import the tokens.${trouble}`,
  };
}

/** Failure of an endpoint that responds, but not as an MCP server. */
function notMcp({ attempts, redirect, firstAnswer }: ProbeFindings): McpFailure {
  const statuses = attempts.map(({ response }) => response?.status ?? 0);
  const bad = statuses.find((status) => status >= 500);
  if (bad !== undefined)
    return new McpFailure('status', `The server returned HTTP status ${bad}`, { status: bad });
  if (statuses.includes(429)) return new McpFailure('rate-limited', 'The server limits the rate of requests');
  if (statuses.includes(403)) return new McpFailure('forbidden', 'The server returned HTTP status 403');
  if (redirect && statuses.some((status) => status >= 300 && status < 400)) return redirect;
  if (statuses[0] === 404)
    return new McpFailure('not-mcp', 'Nothing is served at this path (HTTP status 404)');
  if (statuses[0] === 405)
    return new McpFailure('not-mcp', 'The path does not accept POST requests (HTTP status 405)');
  return new McpFailure('not-mcp', `This URL is not an MCP server (${firstAnswer})`);
}

function eraOf({ modernVersions, legacyVersion, transport }: ProbeFindings): string {
  if (transport === 'sse')
    return 'Uses the HTTP+SSE transport of 2024-11-05, which clients are dropping. Offer Streamable HTTP.';
  if (modernVersions.length > 0 && legacyVersion === undefined)
    return `Supports only ${modernVersions.join(', ')}: clients with older revisions cannot use it.`;
  if (modernVersions.length > 0)
    return `Supports ${modernVersions.join(', ')} and, for older clients, ${legacyVersion}.`;
  return `Supports ${legacyVersion} and not yet 2026-07-28.`;
}
