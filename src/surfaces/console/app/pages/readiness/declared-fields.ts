import type { Input } from '../../../../client/index.ts';

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

/** What no server shows, in the order in which the directories ask for it. */
export const declaredFields: readonly (readonly [group: string, fields: readonly DeclaredField[]])[] = [
  [
    'Listing',
    [
      field('name', 'line', 'Name', 'As it is to be listed.'),
      field('tagline', 'line', 'Tagline', 'The line below the name.'),
      field('description', 'text', 'Description'),
      field('releaseNotes', 'text', 'Release notes'),
      field('screenshots', 'count', 'Screenshots', 'How many there are.'),
      field('starterPrompts', 'count', 'Starter prompts', 'How many there are.'),
      field('countries', 'words', 'Countries', 'Two letters each, like DE NL.'),
    ],
  ],
  [
    'Pages',
    [
      field('websiteUrl', 'url', 'Website'),
      field('documentationUrl', 'url', 'Documentation'),
      field('privacyPolicyUrl', 'url', 'Privacy policy'),
      field('termsUrl', 'url', 'Terms of service'),
      field('supportContact', 'line', 'Support contact', 'An address, or a URL.'),
    ],
  ],
  [
    'Review',
    [
      field('testAccount', 'yesNo', 'Test account', 'With data in it, and without a second factor.'),
      field('positiveTestCases', 'count', 'Positive test cases', 'Prompts that are to use the server.'),
      field('negativeTestCases', 'count', 'Negative test cases', 'Prompts that are not to.'),
      field('toolJustifications', 'yesNo', 'Tool justifications', 'The hints of every tool are explained.'),
      field('frameDomainsExplained', 'yesNo', 'Frames explained', 'Why pages of others are shown.'),
      field('linkOriginsDeclared', 'yesNo', 'Links declared', 'Where the interface leads to is listed.'),
    ],
  ],
  [
    'Publisher',
    [
      field('verifiedIdentity', 'yesNo', 'Verified identity', 'The directory knows the publisher.'),
      field('publisherRole', 'yesNo', 'Publisher role', 'Whoever submits may do so.'),
      field('attestations', 'yesNo', 'Attestations', 'The statements asked for are made.'),
      field('domainChallenge', 'line', 'Domain challenge', 'The public token that proves the domain.'),
      field('pluginManifest', 'yesNo', 'Plugin manifest', 'The package has one.'),
    ],
  ],
  [
    'Authorization',
    [
      field(
        'callbackUrls',
        'words',
        'Callback URLs',
        'Where people may be sent back to, one after the other.',
      ),
      field('predefinedClient', 'yesNo', 'Predefined client', 'The directory was given one.'),
    ],
  ],
];

const all = declaredFields.flatMap(([, fields]) => fields);

export function fieldOf(name: string): DeclaredField | undefined {
  return all.find((one) => one.name === name);
}

/** As it is typed; what is empty is not declared. */
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

/** What a file declares, as it would be typed; undefined when it is no such file. */
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
