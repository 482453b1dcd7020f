import { oneOf, type Raw, text } from '../../addresses.ts';

export const kinds = ['remote', 'fixed', 'options', 'tenant', 'package'] as const;
export type Kind = (typeof kinds)[number];

export interface RegistrySearch {
  /** Search text. */
  q?: string | undefined;
  source?: string | undefined;
  kind?: Kind | undefined;
  /** Whether only installable entries are shown. */
  installable?: true | undefined;
  /** The expanded entry. */
  entry?: string | undefined;
  /** The entry whose install dialog is open. */
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
  /** Whether the form for a new card is open. */
  add?: true | undefined;
  /** The card being edited. */
  edit?: string | undefined;
}

export function cardsSearch(raw: Raw): CardsSearch {
  return { add: raw['add'] === true ? true : undefined, edit: text(raw['edit']) };
}
