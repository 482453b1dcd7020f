import { z } from 'zod';

const Url = z.url({ protocol: /^https?$/ }).max(2000);
const Text = (maxLength: number) => z.string().trim().max(maxLength);
const Count = z.number().int().min(0).max(1000);
const Confirmed = z.boolean();

/** Statements by the submitter of a server. Omitted ones are not evaluated; wrong ones violate their requirement. */
export const DeclaredArtifacts = z
  .strictObject({
    privacyPolicyUrl: Url.optional(),
    termsUrl: Url.optional(),
    documentationUrl: Url.optional(),
    websiteUrl: Url.optional(),
    supportContact: Text(500).optional().describe('Email address or URL.'),
    name: Text(1000).optional().describe('Name for the listing.'),
    tagline: Text(1000).optional().describe('Line below the name. OpenAI calls it the subtitle.'),
    description: Text(20_000).optional(),
    testAccount: Confirmed.optional().describe(
      'Reviewers get a test account with sample data and without two-factor authentication.',
    ),
    screenshots: Count.optional().describe('Number of screenshots.'),
    countries: z
      .array(z.string().regex(/^[A-Z]{2}$/))
      .max(300)
      .optional(),
    positiveTestCases: Count.optional().describe('Number of prompts that should use the server.'),
    negativeTestCases: Count.optional().describe('Number of prompts that should not use the server.'),
    starterPrompts: Count.optional(),
    releaseNotes: Text(20_000).optional(),
    toolJustifications: Confirmed.optional().describe('The annotations of every tool are justified.'),
    frameDomainsExplained: Confirmed.optional().describe('The use of third-party frames is justified.'),
    linkOriginsDeclared: Confirmed.optional().describe('The link targets of the interface are declared.'),
    verifiedIdentity: Confirmed.optional().describe('The directory has verified the publisher.'),
    publisherRole: Confirmed.optional().describe('The submitter is authorized to act for the organization.'),
    attestations: Confirmed.optional().describe('All attestations that the directory requires are made.'),
    callbackUrls: z
      .array(Url)
      .max(20)
      .optional()
      .describe('Redirect URIs registered with the authorization server.'),
    predefinedClient: Confirmed.optional().describe(
      'The directory has a predefined client at the authorization server.',
    ),
    pluginManifest: Confirmed.optional().describe('The package includes a manifest.'),
    domainChallenge: Text(500)
      .optional()
      .describe('Domain verification token from the directory. Not a secret.'),
  })
  .meta({
    id: 'ReadinessDeclaredArtifacts',
    description:
      'Facts that cannot be observed on the server. Each one lets a further requirement be evaluated.',
  });
export type Declared = z.infer<typeof DeclaredArtifacts>;
