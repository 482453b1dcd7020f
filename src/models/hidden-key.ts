/** Replaces a key in streamed text. Text that may be the start of the key is held back until it is complete. */
export class HiddenKey {
  private readonly key: string;
  private held = '';

  constructor(key: string) {
    this.key = key;
  }

  /** Returns the text that cannot be part of the key. */
  next(text: string): string {
    const all = (this.held + text).replaceAll(this.key, '[hidden]');
    let from = Math.max(0, all.length - this.key.length + 1);
    while (from < all.length && !this.key.startsWith(all.slice(from))) from++;
    this.held = all.slice(from);
    return all.slice(0, from);
  }

  /** Returns the text held back. */
  rest(): string {
    const rest = this.held;
    this.held = '';
    return rest;
  }
}
