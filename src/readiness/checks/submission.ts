import { listing, notApplicable, notEvaluated, type Rule, satisfied, violated } from '../check.ts';
import { answersEveryone } from './authorization.ts';
import { confirmed, declared, declaredCount, declaredPage, declaredText } from './declared.ts';

const connectors = 'Connectors: submission';
const plugins = 'Plugins: submission';
const guidelines = 'Plugins: app guidelines';

const artifact = {
  lane: 'submission-artifacts',
  class: 'required',
  provenance: 'declared',
  intrusiveness: 'passive',
} as const;

export const submissionRules: readonly Rule[] = [
  {
    ...artifact,
    title: 'The publisher is verified',
    remediation: "Verify the identity in the organization's settings, and declare verifiedIdentity.",
    openai: listing('submission.verified-identity', plugins, 'Before you submit'),
    evaluate: (evidence) => confirmed(evidence, 'verifiedIdentity'),
  },
  {
    ...artifact,
    title: 'The submitter can manage apps',
    class: 'manual-review',
    remediation: 'Get the role with write access to Apps Management, and declare publisherRole.',
    openai: listing('submission.publisher-role', plugins, 'Before you submit'),
    evaluate: (evidence) => confirmed(evidence, 'publisherRole'),
  },
  {
    ...artifact,
    title: 'There is a website',
    remediation: 'Declare websiteUrl.',
    openai: listing('submission.website', plugins, 'Listing'),
    evaluate: (evidence) => declaredPage(evidence, 'websiteUrl'),
  },
  {
    ...artifact,
    title: 'There is a privacy policy',
    remediation: 'Publish one over HTTPS and declare privacyPolicyUrl. Submissions without one are rejected.',
    claude: listing('submission.privacy-policy', 'Software Directory Policy', 'Privacy'),
    openai: listing('submission.privacy-policy', guidelines, 'Privacy', {
      remediation: 'Publish one over HTTPS and declare privacyPolicyUrl.',
    }),
    evaluate: (evidence) => declaredPage(evidence, 'privacyPolicyUrl'),
  },
  {
    ...artifact,
    title: 'There are terms of use',
    remediation: 'Publish them over HTTPS and declare termsUrl.',
    openai: listing('submission.terms', plugins, 'Listing'),
    evaluate: (evidence) => declaredPage(evidence, 'termsUrl'),
  },
  {
    ...artifact,
    title: 'There is documentation with examples',
    remediation: 'Publish it over HTTPS and declare documentationUrl.',
    claude: listing('submission.documentation', connectors, 'Documentation'),
    evaluate: (evidence) => declaredPage(evidence, 'documentationUrl'),
  },
  {
    ...artifact,
    title: 'There is a support contact',
    remediation: 'Declare supportContact.',
    claude: listing('submission.support-contact', connectors, 'Support'),
    openai: listing('submission.support', plugins, 'Listing'),
    evaluate: (evidence) => declaredText(evidence, 'supportContact', 500),
  },
  {
    ...artifact,
    title: 'Reviewers have an account with sample data',
    remediation: 'Create one, and declare testAccount. A server without authorization needs none.',
    claude: listing('submission.test-account', connectors, 'Test account'),
    openai: listing('submission.reviewer-login', plugins, 'Testing', {
      title: 'Reviewers can sign in without a second factor',
      remediation:
        'Create an account with sample data, and declare testAccount. A server without authorization needs none.',
    }),
    evaluate: (evidence) =>
      answersEveryone(evidence)
        ? notApplicable('The server answers without authorization')
        : confirmed(evidence, 'testAccount'),
  },
  {
    ...artifact,
    title: 'The name fits the listing',
    remediation: 'Choose one of at most 100 characters, and declare name.',
    claude: listing('submission.listing-name', connectors, 'Listing'),
    openai: listing('submission.name', plugins, 'Listing', {
      remediation: 'Choose one of at most 30 characters, and declare name.',
      evaluate: (evidence) => declaredText(evidence, 'name', 30),
    }),
    evaluate: (evidence) => declaredText(evidence, 'name', 100),
  },
  {
    ...artifact,
    title: 'The tagline fits the listing',
    remediation: 'Write one of at most 55 characters, and declare tagline.',
    claude: listing('submission.listing-tagline', connectors, 'Listing'),
    openai: listing('submission.subtitle', plugins, 'Listing', {
      title: 'The subtitle fits the listing',
      remediation: 'Write one of at most 30 characters, and declare tagline.',
      evaluate: (evidence) => declaredText(evidence, 'tagline', 30),
    }),
    evaluate: (evidence) => declaredText(evidence, 'tagline', 55),
  },
  {
    ...artifact,
    title: 'The description fits the listing',
    remediation: 'Write one of at most 2,000 characters, and declare description.',
    claude: listing('submission.listing-description', connectors, 'Listing'),
    evaluate: (evidence) => declaredText(evidence, 'description', 2_000),
  },
  {
    ...artifact,
    title: 'Five test prompts use the server',
    remediation: 'Write five prompts with their expected results, and declare positiveTestCases.',
    openai: listing('submission.positive-tests', plugins, 'Testing'),
    evaluate: (evidence) => declaredCount(evidence, 'positiveTestCases', 5),
  },
  {
    ...artifact,
    title: 'Three test prompts do not use the server',
    remediation: 'Write three prompts that should not use the server, and declare negativeTestCases.',
    openai: listing('submission.negative-tests', plugins, 'Testing'),
    evaluate: (evidence) => declaredCount(evidence, 'negativeTestCases', 3),
  },
  {
    ...artifact,
    title: 'There are starter prompts',
    remediation: 'Write at least one, and declare starterPrompts.',
    openai: listing('submission.starter-prompts', plugins, 'Listing'),
    evaluate: (evidence) => declaredCount(evidence, 'starterPrompts', 1),
  },
  {
    ...artifact,
    title: 'The countries are chosen',
    remediation: 'Declare countries as two-letter codes.',
    openai: listing('submission.countries', plugins, 'Availability'),
    evaluate: (evidence) =>
      declared(evidence, 'countries', ({ length }) =>
        length > 0 ? satisfied({ countries: length }) : violated('No country is chosen'),
      ),
  },
  {
    ...artifact,
    title: 'The hints of every tool are explained',
    remediation: 'Explain the value of each hint in the submission form, and declare toolJustifications.',
    openai: listing('submission.tool-justifications', plugins, 'Tools'),
    evaluate: (evidence) => confirmed(evidence, 'toolJustifications'),
  },
  {
    ...artifact,
    title: 'There are release notes',
    remediation: 'Declare releaseNotes.',
    openai: listing('submission.release-notes', plugins, 'Release'),
    evaluate: (evidence) => declaredText(evidence, 'releaseNotes', 20_000),
  },
  {
    title: 'Reviewers approve the content',
    lane: 'directory-policy',
    class: 'manual-review',
    provenance: 'manual',
    intrusiveness: 'passive',
    remediation: 'Read the guidelines on content, commerce and fair play.',
    openai: listing('policy.content', guidelines, 'Content'),
    evaluate: () => notEvaluated('Only a reviewer can decide this', 'review'),
  },
  {
    ...artifact,
    title: 'The attestations of the form are made',
    class: 'manual-review',
    remediation: 'Confirm the statements in the submission form, and declare attestations.',
    claude: listing('submission.attestations', connectors, 'Attestations'),
    openai: listing('policy.attestations', plugins, 'Attestations'),
    evaluate: (evidence) => confirmed(evidence, 'attestations'),
  },
  {
    ...artifact,
    title: 'The submitter is a Team or Enterprise organization',
    class: 'manual-review',
    remediation: 'Submit from such an organization, and declare publisherRole.',
    claude: listing('submission.organization', connectors, 'Who may submit'),
    evaluate: (evidence) => confirmed(evidence, 'publisherRole'),
  },
];
