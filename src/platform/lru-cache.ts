/** Loads values on first use and keeps the `most` recently used ones. */
export class LruCache<Value> {
  private readonly values = new Map<string, Promise<Value>>();
  private readonly load: (id: string) => Promise<Value>;
  private readonly most: number;

  constructor(load: (id: string) => Promise<Value>, most: number) {
    this.load = load;
    this.most = most;
  }

  /** A failed load is not cached, so that the next caller retries it. */
  get(id: string): Promise<Value> {
    const known = this.values.get(id);
    this.values.delete(id);
    const value = known ?? this.load(id);
    this.values.set(id, value);
    value.catch(() => this.values.get(id) === value && this.values.delete(id));
    const [oldest = ''] = this.values.keys();
    if (this.values.size > this.most) this.values.delete(oldest);
    return value;
  }

  /** Without an ID, forgets all values. */
  forget(id?: string): void {
    if (id === undefined) this.values.clear();
    else this.values.delete(id);
  }
}
