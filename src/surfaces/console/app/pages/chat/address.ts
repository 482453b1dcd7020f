import { oneOf, type Raw, text } from '../../addresses.ts';

export interface ChatsSearch {
  /** Search text. */
  q?: string | undefined;
  /** Where to search; titles by default. */
  in?: 'transcripts' | undefined;
}

export function chatsSearch(raw: Raw): ChatsSearch {
  return { q: text(raw['q']), in: oneOf(['transcripts'] as const, raw['in']) };
}

export interface ChatSearch {
  /** The turn whose timeline is open. */
  turn?: string | undefined;
  span?: string | undefined;
  /** Whether the chat's browser is shown beside it. */
  browser?: true | undefined;
}

export function chatSearch(raw: Raw): ChatSearch {
  return {
    turn: text(raw['turn']),
    span: text(raw['span']),
    browser: raw['browser'] === true ? (true as const) : undefined,
  };
}
