import type { Check } from '../../check.ts';
import { check as authAsMetadataDiscoverable } from './auth/as-metadata-discoverable.ts';
import { check as authAuthorizationCode } from './auth/authorization-code.ts';
import { check as authChallengeNamesResourceMetadata } from './auth/challenge-names-resource-metadata.ts';
import { check as authClientAcquisition } from './auth/client-acquisition.ts';
import { check as authDynamicRegistration } from './auth/dynamic-registration.ts';
import { check as authEndpointsHttps } from './auth/endpoints-https.ts';
import { check as authIssuerMatches } from './auth/issuer-matches.ts';
import { check as authMode } from './auth/mode.ts';
import { check as authNoCredentialsInUrl } from './auth/no-credentials-in-url.ts';
import { check as authPkceS256Advertised } from './auth/pkce-s256-advertised.ts';
import { check as authPrmDiscoverable } from './auth/prm-discoverable.ts';
import { check as authPrmResourceMatchesEnteredUrl } from './auth/prm-resource-matches-entered-url.ts';
import { check as authScopesNamed } from './auth/scopes-named.ts';
import { check as authUnauthenticatedChallenge } from './auth/unauthenticated-challenge.ts';
import { check as domainChallengeServed } from './domain/challenge-served.ts';
import { check as endpointHttps } from './endpoint/https.ts';
import { check as endpointPubliclyReachable } from './endpoint/publicly-reachable.ts';
import { check as endpointRedirectsStayHttps } from './endpoint/redirects-stay-https.ts';
import { check as endpointRedirectsTerminate } from './endpoint/redirects-terminate.ts';
import { check as endpointSessionOpens } from './endpoint/session-opens.ts';
import { check as endpointStreamableHttp } from './endpoint/streamable-http.ts';
import { check as experienceDescriptionBrief } from './experience/description-brief.ts';
import { check as experienceToolCount } from './experience/tool-count.ts';
import { check as featureInterfaces } from './feature/interfaces.ts';
import { check as featureModernProtocol } from './feature/modern-protocol.ts';
import { check as migrationAppsSdkMetadata } from './migration/apps-sdk-metadata.ts';
import { check as packageManifest } from './package/manifest.ts';
import { check as policyAttestations } from './policy/attestations.ts';
import { check as policyContent } from './policy/content.ts';
import { check as releaseContractUnchanged } from './release/contract-unchanged.ts';
import { check as skillsListed } from './skills/listed.ts';
import { check as skillsValid } from './skills/valid.ts';
import { check as submissionCountries } from './submission/countries.ts';
import { check as submissionName } from './submission/name.ts';
import { check as submissionNegativeTests } from './submission/negative-tests.ts';
import { check as submissionPositiveTests } from './submission/positive-tests.ts';
import { check as submissionPrivacyPolicy } from './submission/privacy-policy.ts';
import { check as submissionPublisherRole } from './submission/publisher-role.ts';
import { check as submissionReleaseNotes } from './submission/release-notes.ts';
import { check as submissionReviewerLogin } from './submission/reviewer-login.ts';
import { check as submissionStarterPrompts } from './submission/starter-prompts.ts';
import { check as submissionSubtitle } from './submission/subtitle.ts';
import { check as submissionSupport } from './submission/support.ts';
import { check as submissionTerms } from './submission/terms.ts';
import { check as submissionToolJustifications } from './submission/tool-justifications.ts';
import { check as submissionVerifiedIdentity } from './submission/verified-identity.ts';
import { check as submissionWebsite } from './submission/website.ts';
import { check as toolsAnswer } from './tools/answer.ts';
import { check as toolsDescriptionNoInstructions } from './tools/description-no-instructions.ts';
import { check as toolsDescriptionPresent } from './tools/description-present.ts';
import { check as toolsDestructiveHintPresent } from './tools/destructive-hint-present.ts';
import { check as toolsHintsConsistent } from './tools/hints-consistent.ts';
import { check as toolsListValid } from './tools/list-valid.ts';
import { check as toolsNameLength } from './tools/name-length.ts';
import { check as toolsNameUnique } from './tools/name-unique.ts';
import { check as toolsNoSensitiveInputs } from './tools/no-sensitive-inputs.ts';
import { check as toolsOpenWorldHintPresent } from './tools/open-world-hint-present.ts';
import { check as toolsOutputSchema } from './tools/output-schema.ts';
import { check as toolsReadOnlyHintPresent } from './tools/read-only-hint-present.ts';
import { check as uiCspDeclared } from './ui/csp-declared.ts';
import { check as uiCspExact } from './ui/csp-exact.ts';
import { check as uiDomainDeclared } from './ui/domain-declared.ts';
import { check as uiFrameDomainsExplained } from './ui/frame-domains-explained.ts';
import { check as uiMimeType } from './ui/mime-type.ts';
import { check as uiResourceReadable } from './ui/resource-readable.ts';

/** The rules of the OpenAI plugin directory, in the order of a report. */
export const openaiChecks: readonly Check[] = [
  endpointHttps,
  endpointRedirectsStayHttps,
  endpointRedirectsTerminate,
  endpointPubliclyReachable,
  endpointSessionOpens,
  endpointStreamableHttp,
  domainChallengeServed,
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
  authAuthorizationCode,
  authEndpointsHttps,
  authScopesNamed,
  authDynamicRegistration,
  toolsListValid,
  toolsNameUnique,
  toolsNameLength,
  toolsReadOnlyHintPresent,
  toolsDestructiveHintPresent,
  toolsOpenWorldHintPresent,
  toolsHintsConsistent,
  toolsDescriptionPresent,
  toolsNoSensitiveInputs,
  toolsDescriptionNoInstructions,
  toolsOutputSchema,
  toolsAnswer,
  uiResourceReadable,
  uiMimeType,
  uiDomainDeclared,
  uiCspDeclared,
  uiCspExact,
  uiFrameDomainsExplained,
  skillsListed,
  skillsValid,
  packageManifest,
  submissionVerifiedIdentity,
  submissionPublisherRole,
  submissionWebsite,
  submissionSupport,
  submissionPrivacyPolicy,
  submissionTerms,
  submissionName,
  submissionSubtitle,
  submissionPositiveTests,
  submissionNegativeTests,
  submissionStarterPrompts,
  submissionReviewerLogin,
  submissionCountries,
  submissionToolJustifications,
  submissionReleaseNotes,
  policyContent,
  policyAttestations,
  releaseContractUnchanged,
  featureModernProtocol,
  featureInterfaces,
  migrationAppsSdkMetadata,
  experienceToolCount,
  experienceDescriptionBrief,
];
