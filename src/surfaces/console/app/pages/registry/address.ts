import { oneOf, type Raw, text } from '../../addresses.ts';

export const kinds = ['remote', 'fixed', 'options', 'tenant', 'package'] as const;
export type Kind = (typeof kinds)[number];

export interface RegistrySearch {
  /** Words that are looked for. */
  q?: string | undefined;
  source?: string | undefined;
  kind?: Kind | undefined;
  /** Only what can be installed. */
  installable?: true | undefined;
  /** The one that is unfolded. */
  entry?: string | undefined;
  /** The one whose install is asked about. */
  install?: string | undefined;
}

const maxWordsLength = 200;

export function registrySearch(raw: Raw): RegistrySearch {
  return {
    q: text(raw['q'])?.slice(0, maxWordsLength),
    source: text(raw['source'])?.slice(0, 100),
    kind: oneOf(kinds, raw['kind']),
    installable: raw['installable'] === true ? true : undefined,
    entry: text(raw['entry']),
    install: text(raw['install']),
  };
}

export interface CardsSearch {
  /** The form for a new one is open. */
  add?: true | undefined;
  /** The one that is being changed. */
  edit?: string | undefined;
}

export function cardsSearch(raw: Raw): CardsSearch {
  return { add: raw['add'] === true ? true : undefined, edit: text(raw['edit']) };
}
