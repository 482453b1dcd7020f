import { FairQueue } from '../platform/flow/fair-queue.ts';
import { deadlineOf, type Wait } from './deadline.ts';
import { McpFailure } from './failures.ts';

interface SlotLimits {
  connections: number;
  /** Stdio servers, each of which also uses a connection. */
  processes: number;
}

/**
 * Limits open connections and stdio processes, pooled and exclusive alike. A slot is taken before the connection opens
 * and freed when it has closed. Organizations that wait are served round-robin.
 */
export class ConnectionSlots {
  private readonly limits: SlotLimits;
  private readonly used = { connections: 0, processes: 0 };
  private readonly queue = new FairQueue<boolean>((isProcess) => this.occupy(isProcess));

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  get processes(): number {
    return this.used.processes;
  }

  /** Whether all process slots are taken, so that only the end of a process makes room for another. */
  lacksProcesses(): boolean {
    return this.used.processes >= this.limits.processes;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** Waits for a slot; `makeRoom` may close idle connections. The result frees the slot, once. */
  async take(owner: string, isProcess: boolean, wait: Wait, makeRoom: () => void): Promise<() => void> {
    const deadline = deadlineOf(wait);
    try {
      const entered = this.queue.enter(owner, isProcess, deadline.signal);
      if (this.waiting > 0) makeRoom();
      await entered;
      if (deadline.reason) {
        this.free(isProcess);
        throw deadline.reason;
      }
    } catch (error) {
      if (!(error instanceof McpFailure) || error.kind !== 'timeout') throw error;
      throw new McpFailure(
        'timeout',
        'All connections to MCP servers are busy (timed out). Try again later',
        {
          notSent: true,
        },
      );
    } finally {
      deadline.end();
    }
    let held = true;
    return () => {
      if (held) this.free(isProcess);
      held = false;
    };
  }

  private occupy(isProcess: boolean): boolean {
    if (this.used.connections >= this.limits.connections || (isProcess && this.lacksProcesses()))
      return false;
    this.used.connections++;
    if (isProcess) this.used.processes++;
    return true;
  }

  private free(isProcess: boolean): void {
    this.used.connections--;
    if (isProcess) this.used.processes--;
    this.queue.serve();
  }
}
