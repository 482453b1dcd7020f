import { setTimeout as delay } from 'node:timers/promises';

interface BatchOptions {
  /** Milliseconds that the first of a batch waits for more; none if left out, so that a batch costs nobody time. */
  linger?: number;
  most?: number;
}

/** Gathers what comes in a short while, and while the last batch is being written, and writes it together. */
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

  /** Resolves when it was written. */
  add(item: Item): Promise<void> {
    return new Promise<void>((done, failed) => {
      this.waiting.push({ item, done, failed });
      this.writing ??= this.run();
    });
  }

  /** Resolves when nothing is left to be written. */
  async idle(): Promise<void> {
    await this.writing;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      // What is added in the same turn comes along in any case.
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
