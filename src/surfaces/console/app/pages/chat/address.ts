import { oneOf, type Raw, text } from '../../addresses.ts';

export interface ChatsSearch {
  /** Words to look for. */
  q?: string | undefined;
  /** Where; in titles when it is left out. */
  in?: 'transcripts' | undefined;
}

export function chatsSearch(raw: Raw): ChatsSearch {
  return { q: text(raw['q']), in: oneOf(['transcripts'] as const, raw['in']) };
}

export interface ChatSearch {
  /** The turn whose timeline is open. */
  turn?: string | undefined;
  span?: string | undefined;
  /** Whether the browser of the chat is shown beside it. */
  browser?: true | undefined;
}

export function chatSearch(raw: Raw): ChatSearch {
  return {
    turn: text(raw['turn']),
    span: text(raw['span']),
    browser: raw['browser'] === true ? (true as const) : undefined,
  };
}
