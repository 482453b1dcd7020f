import type { Check } from '../../check.ts';
import { check as appsCspDeclared } from './apps/csp-declared.ts';
import { check as appsDomainFormat } from './apps/domain-format.ts';
import { check as appsLinkOrigins } from './apps/link-origins.ts';
import { check as appsMimeType } from './apps/mime-type.ts';
import { check as appsResourceReadable } from './apps/resource-readable.ts';
import { check as appsVisibilityValid } from './apps/visibility-valid.ts';
import { check as authAsMetadataDiscoverable } from './auth/as-metadata-discoverable.ts';
import { check as authAuthorizationCode } from './auth/authorization-code.ts';
import { check as authCallbackAllowed } from './auth/callback-allowed.ts';
import { check as authChallengeNamesResourceMetadata } from './auth/challenge-names-resource-metadata.ts';
import { check as authClientAcquisition } from './auth/client-acquisition.ts';
import { check as authEndpointsHttps } from './auth/endpoints-https.ts';
import { check as authIssuerMatches } from './auth/issuer-matches.ts';
import { check as authMetadataClientsPublic } from './auth/metadata-clients-public.ts';
import { check as authMode } from './auth/mode.ts';
import { check as authNoCredentialsInUrl } from './auth/no-credentials-in-url.ts';
import { check as authPkceS256Advertised } from './auth/pkce-s256-advertised.ts';
import { check as authPrmDiscoverable } from './auth/prm-discoverable.ts';
import { check as authPrmResourceMatchesEnteredUrl } from './auth/prm-resource-matches-entered-url.ts';
import { check as authScopesNamed } from './auth/scopes-named.ts';
import { check as authUnauthenticatedChallenge } from './auth/unauthenticated-challenge.ts';
import { check as endpointHttps } from './endpoint/https.ts';
import { check as endpointOriginChecked } from './endpoint/origin-checked.ts';
import { check as endpointPubliclyReachable } from './endpoint/publicly-reachable.ts';
import { check as endpointRedirectsStayHttps } from './endpoint/redirects-stay-https.ts';
import { check as endpointRedirectsTerminate } from './endpoint/redirects-terminate.ts';
import { check as endpointSessionOpens } from './endpoint/session-opens.ts';
import { check as endpointStreamableHttp } from './endpoint/streamable-http.ts';
import { check as experienceInstructions } from './experience/instructions.ts';
import { check as experienceToolCount } from './experience/tool-count.ts';
import { check as featuresModernProtocol } from './features/modern-protocol.ts';
import { check as featuresOutputSchema } from './features/output-schema.ts';
import { check as featuresPromptsAndResources } from './features/prompts-and-resources.ts';
import { check as intrusiveDynamicRegistration } from './intrusive/dynamic-registration.ts';
import { check as intrusiveToolsAnswer } from './intrusive/tools-answer.ts';
import { check as submissionAttestations } from './submission/attestations.ts';
import { check as submissionDocumentation } from './submission/documentation.ts';
import { check as submissionListingDescription } from './submission/listing-description.ts';
import { check as submissionListingName } from './submission/listing-name.ts';
import { check as submissionListingTagline } from './submission/listing-tagline.ts';
import { check as submissionOrganization } from './submission/organization.ts';
import { check as submissionPrivacyPolicy } from './submission/privacy-policy.ts';
import { check as submissionScreenshots } from './submission/screenshots.ts';
import { check as submissionSupportContact } from './submission/support-contact.ts';
import { check as submissionTestAccount } from './submission/test-account.ts';
import { check as toolsBehaviorHintsConsistent } from './tools/behavior-hints-consistent.ts';
import { check as toolsBehaviorHintsPresent } from './tools/behavior-hints-present.ts';
import { check as toolsDescriptionBrief } from './tools/description-brief.ts';
import { check as toolsDescriptionNoInstructions } from './tools/description-no-instructions.ts';
import { check as toolsDescriptionPresent } from './tools/description-present.ts';
import { check as toolsFreeFormNamesApi } from './tools/free-form-names-api.ts';
import { check as toolsFreeStringOperationParameter } from './tools/free-string-operation-parameter.ts';
import { check as toolsListValid } from './tools/list-valid.ts';
import { check as toolsNameLength } from './tools/name-length.ts';
import { check as toolsNameUnique } from './tools/name-unique.ts';
import { check as toolsNoCatchAllReadWrite } from './tools/no-catch-all-read-write.ts';
import { check as toolsTitlePresent } from './tools/title-present.ts';

/** The rules of the Claude connectors directory, in the order of a report. */
export const claudeChecks: readonly Check[] = [
  endpointHttps,
  endpointRedirectsStayHttps,
  endpointRedirectsTerminate,
  endpointPubliclyReachable,
  endpointSessionOpens,
  endpointStreamableHttp,
  endpointOriginChecked,
  authMode,
  authNoCredentialsInUrl,
  authUnauthenticatedChallenge,
  authChallengeNamesResourceMetadata,
  authPrmDiscoverable,
  authPrmResourceMatchesEnteredUrl,
  authAsMetadataDiscoverable,
  authIssuerMatches,
  authPkceS256Advertised,
  authClientAcquisition,
  authMetadataClientsPublic,
  authAuthorizationCode,
  authEndpointsHttps,
  authScopesNamed,
  authCallbackAllowed,
  toolsListValid,
  toolsNameUnique,
  toolsNameLength,
  toolsTitlePresent,
  toolsBehaviorHintsPresent,
  toolsBehaviorHintsConsistent,
  toolsDescriptionPresent,
  toolsNoCatchAllReadWrite,
  toolsFreeStringOperationParameter,
  toolsFreeFormNamesApi,
  toolsDescriptionNoInstructions,
  toolsDescriptionBrief,
  appsResourceReadable,
  appsMimeType,
  appsCspDeclared,
  appsDomainFormat,
  appsVisibilityValid,
  appsLinkOrigins,
  featuresModernProtocol,
  featuresOutputSchema,
  featuresPromptsAndResources,
  intrusiveDynamicRegistration,
  intrusiveToolsAnswer,
  submissionPrivacyPolicy,
  submissionDocumentation,
  submissionSupportContact,
  submissionTestAccount,
  submissionListingName,
  submissionListingTagline,
  submissionListingDescription,
  submissionScreenshots,
  submissionAttestations,
  submissionOrganization,
  experienceToolCount,
  experienceInstructions,
];
