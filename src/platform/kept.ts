/** Things that are loaded once and kept at hand while they are used; those used last are the last to go. */
export class Kept<Value> {
  private readonly values = new Map<string, Promise<Value>>();
  private readonly load: (id: string) => Promise<Value>;
  private readonly most: number;

  constructor(load: (id: string) => Promise<Value>, most: number) {
    this.load = load;
    this.most = most;
  }

  /** One that cannot be loaded is tried anew by whoever comes next. */
  get(id: string): Promise<Value> {
    const known = this.values.get(id);
    this.values.delete(id);
    const value = known ?? this.load(id);
    this.values.set(id, value);
    value.catch(() => this.values.delete(id));
    const [oldest = ''] = this.values.keys();
    if (this.values.size > this.most) this.values.delete(oldest);
    return value;
  }

  /** Left out, all of them. */
  forget(id?: string): void {
    if (id === undefined) this.values.clear();
    else this.values.delete(id);
  }
}
