import { z } from 'zod';

const Url = z.url({ protocol: /^https?$/ }).max(2000);
const Text = (most: number) => z.string().trim().max(most);
const Count = z.number().int().min(0).max(1000);
const Confirmed = z.boolean();

/** What only the people who submit a server know. What is left out is not evaluated; what is wrong is violated. */
export const DeclaredArtifacts = z
  .strictObject({
    privacyPolicyUrl: Url.optional(),
    termsUrl: Url.optional(),
    documentationUrl: Url.optional(),
    websiteUrl: Url.optional(),
    supportContact: Text(500).optional().describe('An address, or a URL.'),
    name: Text(1000).optional().describe('As it is to be listed.'),
    tagline: Text(1000).optional().describe('The line below the name; OpenAI calls it the subtitle.'),
    description: Text(20_000).optional(),
    testAccount: Confirmed.optional().describe(
      'Reviewers get an account with data in it, and without a second factor.',
    ),
    screenshots: Count.optional().describe('How many there are.'),
    countries: z
      .array(z.string().regex(/^[A-Z]{2}$/))
      .max(300)
      .optional(),
    positiveTestCases: Count.optional().describe('How many prompts that are to use the server.'),
    negativeTestCases: Count.optional().describe('How many that are not to.'),
    starterPrompts: Count.optional(),
    releaseNotes: Text(20_000).optional(),
    toolJustifications: Confirmed.optional().describe('The hints of every tool are explained.'),
    frameDomainsExplained: Confirmed.optional().describe(
      'Why the interface shows pages of others is explained.',
    ),
    linkOriginsDeclared: Confirmed.optional().describe('Where the interface leads to is listed.'),
    verifiedIdentity: Confirmed.optional().describe('The publisher is verified at the directory.'),
    publisherRole: Confirmed.optional().describe('Whoever submits may do so for the organization.'),
    attestations: Confirmed.optional().describe('The statements that the directory asks for are made.'),
    callbackUrls: z
      .array(Url)
      .max(20)
      .optional()
      .describe('Where the authorization server may send people back to.'),
    predefinedClient: Confirmed.optional().describe(
      'The directory was given a client of the authorization server.',
    ),
    pluginManifest: Confirmed.optional().describe('The package has its manifest.'),
    domainChallenge: Text(500)
      .optional()
      .describe('The token that the directory gave to prove the domain. It is public.'),
  })
  .meta({
    id: 'ReadinessDeclaredArtifacts',
    description: 'What no server can show. Each turns a finding that was not evaluated into one that is.',
  });
export type Declared = z.infer<typeof DeclaredArtifacts>;
