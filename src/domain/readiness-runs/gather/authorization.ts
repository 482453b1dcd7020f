import { type AuthorizationFacts, discoverAuthorization } from '../../../mcp/oauth.ts';
import {
  type AuthorizationServerFacts,
  type ChallengeFacts,
  type Evidence,
  known,
  type Published,
  type ResourceMetadataFacts,
  unknown,
} from '../../../readiness/evidence.ts';
import type { InspectedServer } from './inspected-server.ts';

type Discovered = Pick<Evidence, 'resourceMetadata' | 'authorizationServer'>;

const maxTexts = 100;
const maxTextLength = 500;

/** Reads the published OAuth metadata. A missing document is a finding, too. */
export async function authorization(
  { address, outbound }: InspectedServer,
  { resourceMetadataUrl, answered }: ChallengeFacts,
  signal: AbortSignal,
): Promise<Discovered> {
  if (answered) return unknownAuthorization('The server answers without authorization');
  const facts = await discoverAuthorization(outbound, address.url, resourceMetadataUrl, signal);
  if (signal.aborted) return unknownAuthorization('Reading the OAuth metadata timed out');
  return { resourceMetadata: known(resourceOf(facts)), authorizationServer: known(serverOf(facts)) };
}

export function unknownAuthorization(reason: string): Discovered {
  return { resourceMetadata: unknown(reason), authorizationServer: unknown(reason) };
}

function resourceOf({
  resourceMetadata,
  resourceMetadataUrl,
  problem,
}: AuthorizationFacts): Published<ResourceMetadataFacts> {
  if (!resourceMetadata)
    return {
      published: false,
      problem: text(problem) ?? 'The server publishes no protected resource metadata',
    };
  return {
    published: true,
    url: text(resourceMetadataUrl) ?? '',
    resource: text(resourceMetadata.resource) ?? '',
    authorizationServers: texts(resourceMetadata.authorization_servers),
    scopes: texts(resourceMetadata.scopes_supported),
  };
}

function serverOf(
  facts: AuthorizationFacts,
): Published<AuthorizationServerFacts> & { issuerMismatch?: boolean } {
  const { authorizationServerMetadata: metadata, problem, issuerMismatch = false } = facts;
  if (!metadata)
    return {
      published: false,
      problem: text(problem) ?? 'There is no authorization server metadata',
      issuerMismatch,
    };
  const authorizationEndpoint = text(metadata.authorization_endpoint);
  const tokenEndpoint = text(metadata.token_endpoint);
  const registrationEndpoint = text(metadata.registration_endpoint);
  return {
    published: true,
    issuer: text(metadata.issuer) ?? '',
    ...(authorizationEndpoint !== undefined && { authorizationEndpoint }),
    ...(tokenEndpoint !== undefined && { tokenEndpoint }),
    ...(registrationEndpoint !== undefined && { registrationEndpoint }),
    challengeMethods: texts(metadata.code_challenge_methods_supported),
    tokenAuthMethods: texts(metadata.token_endpoint_auth_methods_supported),
    grantTypes: texts(metadata.grant_types_supported),
    clientMetadataDocuments: metadata.client_id_metadata_document_supported === true,
    scopes: texts(metadata.scopes_supported),
  };
}

function texts(value: unknown): string[] {
  const all = Array.isArray(value) ? value.slice(0, maxTexts) : [];
  return all.flatMap((one) => text(one) ?? []);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, maxTextLength).toWellFormed() : undefined;
}
