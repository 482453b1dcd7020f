import { Deadline, type Wait } from './deadline.ts';
import { McpFailure } from './failures.ts';

interface SlotLimits {
  connections: number;
  /** Commands running at once; each takes up a connection too. */
  processes: number;
}

interface Waiter {
  process: boolean;
  /** Whether the place was wanted and is now taken. */
  admit: () => boolean;
}

/**
 * Room for connections, pooled and exclusive alike. A place is taken before a connection is opened and given back when
 * nothing is left of it. Those who wait are served in turn, one organization after the other, so that nobody's crowd
 * keeps others out.
 */
export class Slots {
  private readonly limits: SlotLimits;
  private readonly taken = { connections: 0, processes: 0 };
  /** Those who wait, by organization, in the order in which organizations are served. */
  private readonly queues = new Map<string, Waiter[]>();

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  get processes(): number {
    return this.taken.processes;
  }

  isFull(process: boolean): boolean {
    const { connections, processes } = this.limits;
    return this.taken.connections >= connections || (process && this.taken.processes >= processes);
  }

  /** Where commands are short, only a command makes room for another. */
  lacksProcesses(): boolean {
    return this.taken.processes >= this.limits.processes;
  }

  /** How many wait for a place. */
  get waiting(): number {
    let count = 0;
    for (const queue of this.queues.values()) count += queue.length;
    return count;
  }

  /** Waits for a place. What it answers with gives the place back, once. */
  async take(owner: string, process: boolean, wait: Wait, makeRoom: () => void): Promise<() => void> {
    // Whoever comes now stands behind those who wait already.
    if (this.isFull(process)) makeRoom();
    if (this.queues.size > 0 || this.isFull(process)) await this.wait(owner, process, wait, makeRoom);
    else this.occupy(process);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.taken.connections--;
      if (process) this.taken.processes--;
      this.serve();
    };
  }

  private occupy(process: boolean): void {
    this.taken.connections++;
    if (process) this.taken.processes++;
  }

  private async wait(owner: string, process: boolean, wait: Wait, makeRoom: () => void): Promise<void> {
    const deadline = new Deadline(wait);
    let settled = false;
    let enter = (): void => {};
    const entered = new Promise<void>((resolve) => (enter = resolve));
    const waiter: Waiter = {
      process,
      admit: () => {
        if (settled) return false;
        settled = true;
        this.occupy(process);
        enter();
        return true;
      },
    };
    const queue = this.queues.get(owner) ?? [];
    this.queues.set(owner, queue);
    queue.push(waiter);
    this.serve();
    makeRoom();
    try {
      await deadline.race(entered);
    } catch (error) {
      // Admitted in the same moment: the place goes to the next.
      if (settled) {
        this.taken.connections--;
        if (process) this.taken.processes--;
      }
      settled = true;
      this.forget(owner, waiter);
      this.serve();
      if (error instanceof McpFailure && error.kind === 'timeout') throw allBusy();
      throw error;
    } finally {
      deadline.end();
    }
  }

  private forget(owner: string, waiter: Waiter): void {
    const queue = this.queues.get(owner);
    const at = queue?.indexOf(waiter) ?? -1;
    if (queue && at >= 0) queue.splice(at, 1);
    if (queue?.length === 0) this.queues.delete(owner);
  }

  /** Lets in as many as fit. An organization that got a place goes to the end of the line. */
  private serve(): void {
    for (let progress = true; progress; ) {
      progress = false;
      for (const [owner, queue] of this.queues) {
        const next = queue.find(({ process }) => !this.isFull(process));
        if (!next) continue;
        queue.splice(queue.indexOf(next), 1);
        this.queues.delete(owner);
        if (queue.length > 0) this.queues.set(owner, queue);
        if (next.admit()) {
          progress = true;
          break;
        }
      }
    }
  }
}

function allBusy(): McpFailure {
  return new McpFailure('timeout', 'All connections to MCP servers are busy (timed out). Try again later', {
    notSent: true,
  });
}
