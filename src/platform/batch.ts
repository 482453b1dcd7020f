import { setTimeout as delay } from 'node:timers/promises';

interface BatchOptions {
  /** Milliseconds that the first item waits for more. Default: none, so that batching adds no latency. */
  linger?: number;
  /** Maximum number of items in a batch. Default: 500. */
  most?: number;
}

/** Writes items in batches: those added within a short time, or while the previous batch was being written. */
export class Batch<Item> {
  private readonly write: (items: Item[]) => Promise<void>;
  private readonly linger: number;
  private readonly most: number;
  private waiting: { item: Item; done: () => void; failed: (error: unknown) => void }[] = [];
  private writing: Promise<void> | undefined;

  constructor(write: (items: Item[]) => Promise<void>, { linger = 0, most = 500 }: BatchOptions = {}) {
    this.write = write;
    this.linger = linger;
    this.most = most;
  }

  /** Resolves when the item has been written. */
  add(item: Item): Promise<void> {
    return new Promise<void>((done, failed) => {
      this.waiting.push({ item, done, failed });
      this.writing ??= this.run();
    });
  }

  /** Resolves when no items are left to write. */
  async idle(): Promise<void> {
    await this.writing;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      // Even without linger, items added in the same microtask form one batch.
      await (this.linger > 0 ? delay(this.linger) : Promise.resolve());
      const batch = this.waiting.splice(0, this.most);
      try {
        await this.write(batch.map(({ item }) => item));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.writing = undefined;
  }
}
