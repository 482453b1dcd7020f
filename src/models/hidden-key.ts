/**
 * Replaces a key in text that comes in pieces. What may be the beginning of it is held back until it is known not to be.
 */
export class HiddenKey {
  private readonly key: string;
  private held = '';

  constructor(key: string) {
    this.key = key;
  }

  /** As much of the text so far as can be told. */
  next(text: string): string {
    const all = (this.held + text).replaceAll(this.key, '[hidden]');
    let from = Math.max(0, all.length - this.key.length + 1);
    while (from < all.length && !this.key.startsWith(all.slice(from))) from++;
    this.held = all.slice(from);
    return all.slice(0, from);
  }

  /** What was held back. */
  rest(): string {
    const rest = this.held;
    this.held = '';
    return rest;
  }
}
