/** Limits for widgets, which are untrusted. */
export const bounds = {
  /** Messages per second, and messages queued. */
  perSecond: 100,
  waiting: 200,
  /** Characters of one message. */
  message: 1024 * 1024,
  /** Tool calls and resource reads of a widget, in total and at once. */
  requests: 100,
  atOnce: 8,
  /** Characters of all these requests. */
  requested: 4 * 1024 * 1024,
  /** Entries of each list in an observation, and characters of an entry. */
  entries: 50,
  entry: 1_000,
  /** Maximum height in pixels that a widget may request. */
  height: 4_000,
} as const;

/** Timeouts in milliseconds. */
export const timeouts = {
  /** For a widget to initialize, by default. */
  render: 15_000,
  /** For a widget to initialize in spite of an exception. */
  afterError: 3_000,
  /** For a widget to draw its result, and then the answers to its own requests. */
  answer: 5_000,
  draw: 2_000,
  /** For a screenshot or accessibility tree. */
  look: 15_000,
  /** For an element to be present and usable. */
  element: 5_000,
  /** For a widget to answer the teardown request. */
  teardown: 500,
} as const;

export function cut(text: string, most: number = bounds.entry): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
