interface Waiter<Item> {
  item: Item;
  admit: () => void;
}

/**
 * Holds requests until there is room for them. Owners are served round-robin and each owner's requests in order, so
 * that an owner with many requests does not delay the others. A request that does not fit is passed over, not waited
 * for.
 */
export class FairQueue<Item> {
  /** In the order in which owners are served next. */
  private readonly queues = new Map<string, Waiter<Item>[]>();
  private readonly take: (item: Item) => boolean;
  private count = 0;

  /** `take` reserves room for an item, or returns false without enough room. */
  constructor(take: (item: Item) => boolean) {
    this.take = take;
  }

  get size(): number {
    return this.count;
  }

  /**
   * Resolves once room was taken for the item. Leaves the queue and rejects with the signal's reason when it aborts.
   */
  enter(owner: string, item: Item, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const queue = this.queues.get(owner) ?? [];
      const leave = (): void => {
        this.remove(owner, waiter);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter<Item> = {
        item,
        admit: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.queues.set(owner, queue);
      queue.push(waiter);
      this.count++;
      this.serve();
    });
  }

  /** Admits every request that fits. Call it whenever room has been freed. */
  serve(): void {
    for (let waiter = this.next(); waiter; waiter = this.next()) waiter.admit();
  }

  private next(): Waiter<Item> | undefined {
    for (const [owner, queue] of this.queues) {
      const waiter = queue.find(({ item }) => this.take(item));
      if (!waiter) continue;
      this.remove(owner, waiter);
      // Sets the owner behind all others.
      this.queues.delete(owner);
      if (queue.length > 0) this.queues.set(owner, queue);
      return waiter;
    }
    return undefined;
  }

  private remove(owner: string, waiter: Waiter<Item>): void {
    const queue = this.queues.get(owner) ?? [];
    queue.splice(queue.indexOf(waiter), 1);
    this.count--;
    if (queue.length === 0) this.queues.delete(owner);
  }
}
