/** How much of a widget is listened to. Widgets are written by anybody. */
export const bounds = {
  /** Messages in a second, and waiting to be fetched. */
  perSecond: 100,
  waiting: 200,
  /** Characters of one message. */
  message: 1024 * 1024,
  depth: 64,
  /** Calls of tools and reads of resources that a widget makes, and at once. */
  requests: 100,
  atOnce: 8,
  /** Characters of all of them. */
  requested: 4 * 1024 * 1024,
  /** Entries of each list in an observation, and characters of one. */
  entries: 50,
  entry: 1_000,
  /** Pixels that a widget may ask to be high. */
  height: 4_000,
} as const;

/** Milliseconds. */
export const patience = {
  /** For a widget to be there, unless told otherwise. */
  render: 15_000,
  /** For a widget that threw an error to be ready all the same. */
  afterError: 3_000,
  /** For a widget that has its result to draw something, and to draw what it asked its server for then. */
  answer: 5_000,
  draw: 2_000,
  /** For a picture, or the tree of its elements. */
  look: 15_000,
  /** For an element to be there, and usable. */
  element: 5_000,
  /** For a widget to say goodbye. */
  teardown: 500,
} as const;

export function cut(text: string, most: number = bounds.entry): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
