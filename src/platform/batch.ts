/**
 * Gathers what comes while the last batch is being written, and writes it together. What comes alone is written at once,
 * so a batch costs nobody time.
 */
export class Batch<Item> {
  private readonly write: (items: Item[]) => Promise<void>;
  private readonly most: number;
  private waiting: { item: Item; done: () => void; failed: (error: unknown) => void }[] = [];
  private writing = false;

  constructor(write: (items: Item[]) => Promise<void>, most = 500) {
    this.write = write;
    this.most = most;
  }

  /** Resolves when it was written. */
  add(item: Item): Promise<void> {
    return new Promise<void>((done, failed) => {
      this.waiting.push({ item, done, failed });
      if (!this.writing) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.writing = true;
    // What is added in the same turn comes along.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.most);
      try {
        await this.write(batch.map(({ item }) => item));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.writing = false;
  }
}
