import type { Input } from '../../api/index.ts';

export type Declared = NonNullable<Input<'startClaudeReadinessRun'>['body']['declared']>;
type Name = keyof Declared;
type Kind = 'url' | 'line' | 'text' | 'count' | 'yesNo' | 'words';

export interface DeclaredField {
  name: Name;
  kind: Kind;
  label: string;
  hint?: string;
}

const field = (name: Name, kind: Kind, label: string, hint?: string): DeclaredField => ({
  name,
  kind,
  label,
  ...(hint !== undefined && { hint }),
});

/** Facts that cannot be observed, in the order of the directories' forms. */
export const declaredFields: readonly (readonly [group: string, fields: readonly DeclaredField[]])[] = [
  [
    'Listing',
    [
      field('name', 'line', 'Name', 'The name in the listing.'),
      field('tagline', 'line', 'Tagline', 'Shown below the name.'),
      field('description', 'text', 'Description'),
      field('releaseNotes', 'text', 'Release notes'),
      field('screenshots', 'count', 'Screenshots', 'Number of screenshots.'),
      field('starterPrompts', 'count', 'Starter prompts', 'Number of starter prompts.'),
      field('countries', 'words', 'Countries', 'Two-letter codes, like DE NL.'),
    ],
  ],
  [
    'Pages',
    [
      field('websiteUrl', 'url', 'Website'),
      field('documentationUrl', 'url', 'Documentation'),
      field('privacyPolicyUrl', 'url', 'Privacy policy'),
      field('termsUrl', 'url', 'Terms of service'),
      field('supportContact', 'line', 'Support contact', 'An email address or a URL.'),
    ],
  ],
  [
    'Review',
    [
      field('testAccount', 'yesNo', 'Test account', 'With sample data and without a second factor.'),
      field('positiveTestCases', 'count', 'Positive test cases', 'Prompts that should use the server.'),
      field('negativeTestCases', 'count', 'Negative test cases', 'Prompts that should not use it.'),
      field(
        'toolJustifications',
        'yesNo',
        'Tool justifications',
        'The annotations of each tool are justified.',
      ),
      field('frameDomainsExplained', 'yesNo', 'Frames justified', 'Why third-party pages are embedded.'),
      field('linkOriginsDeclared', 'yesNo', 'Links declared', 'External link destinations are listed.'),
    ],
  ],
  [
    'Publisher',
    [
      field('verifiedIdentity', 'yesNo', 'Verified identity', 'The directory has verified the publisher.'),
      field('publisherRole', 'yesNo', 'Publisher role', 'The submitter is authorized.'),
      field('attestations', 'yesNo', 'Attestations', 'The required attestations are made.'),
      field('domainChallenge', 'line', 'Domain challenge', 'The public token that proves domain ownership.'),
      field('pluginManifest', 'yesNo', 'Plugin manifest', 'The package contains a plugin manifest.'),
    ],
  ],
  [
    'Authorization',
    [
      field('callbackUrls', 'words', 'Callback URLs', 'Redirect URLs, separated by spaces.'),
      field('predefinedClient', 'yesNo', 'Predefined client', 'A client is registered with the directory.'),
    ],
  ],
];

const all = declaredFields.flatMap(([, fields]) => fields);

export function fieldOf(name: string): DeclaredField | undefined {
  return all.find((one) => one.name === name);
}

/** Form input; empty fields are not declared. */
export type Draft = Readonly<Partial<Record<Name, string>>>;

export function declaredOf(draft: Draft): Declared {
  const entries = all.flatMap(({ name, kind }) => {
    const typed = draft[name]?.trim() ?? '';
    return typed === '' ? [] : [[name, valueOf(kind, typed)] as const];
  });
  return Object.fromEntries(entries);
}

function valueOf(kind: Kind, typed: string): unknown {
  if (kind === 'count') return Number(typed);
  if (kind === 'yesNo') return typed === 'yes';
  return kind === 'words' ? typed.split(/[\s,]+/).filter((one) => one !== '') : typed;
}

/** Parses a file of declarations; undefined if invalid. */
export function draftOf(text: string): Draft | undefined {
  const file = objectIn(text);
  if (!file) return undefined;
  const draft: Partial<Record<Name, string>> = {};
  for (const { name, kind } of all) {
    const typed = Object.hasOwn(file, name) ? typedOf(kind, file[name]) : undefined;
    if (typed !== undefined) draft[name] = typed;
  }
  return draft;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function typedOf(kind: Kind, value: unknown): string | undefined {
  if (kind === 'yesNo') return typeof value === 'boolean' ? (value ? 'yes' : 'no') : undefined;
  if (kind === 'count') return typeof value === 'number' ? String(value) : undefined;
  if (kind !== 'words') return typeof value === 'string' ? value : undefined;
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(' ') : undefined;
}
