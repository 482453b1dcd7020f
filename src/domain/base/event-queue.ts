import type { StreamEvent } from '../../contract/operation.ts';

/**
 * Queues the events that work emits while it runs, for one reader, who gets them as they come and the result last. The
 * work starts at once and does not depend on the reader: it ends even if the client disconnects before reading.
 */
export class EventQueue<Event> {
  private readonly queued: Event[] = [];
  private readonly result: Promise<Event>;
  private isOver = false;
  private wake = (): void => {};

  constructor(work: (emit: (event: Event) => void) => Promise<Event>) {
    this.result = work((event) => {
      this.queued.push(event);
      this.wake();
    });
    const end = (): void => {
      this.isOver = true;
      this.wake();
    };
    this.result.then(end, end);
  }

  /** The events, then the result. */
  async *read(): AsyncGenerator<StreamEvent<Event>> {
    for (;;) {
      for (const data of this.queued.splice(0)) yield { data };
      if (this.queued.length > 0) continue;
      if (this.isOver) break;
      // A new promise for each wait: handlers added to one long-lived promise would pile up.
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    yield { data: await this.result };
  }
}
