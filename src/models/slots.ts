import { unlessAborted } from './abort.ts';

interface Line {
  busy: number;
  waiting: (() => void)[];
}

/** Bounds how many calls run at once for each key, in the order they came. For one process. */
export class Slots {
  private readonly lines = new Map<string, Line>();

  /** Waits for one of `most` slots, unless there is no bound, and gives it back when the work has ended. */
  async run<T>(
    key: string,
    most: number | undefined,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    if (most === undefined) return work();
    const line = this.lines.get(key) ?? { busy: 0, waiting: [] };
    this.lines.set(key, line);
    if (line.busy >= most) await this.turnIn(line, signal);
    else line.busy++;
    try {
      return await work();
    } finally {
      this.free(key, line);
    }
  }

  /** Resolves with a slot that somebody gave back, which stays counted as busy. */
  private async turnIn(line: Line, signal: AbortSignal): Promise<void> {
    let enter = (): void => {};
    const turn = new Promise<void>((resolve) => {
      enter = resolve;
      line.waiting.push(enter);
    });
    try {
      await unlessAborted(turn, signal);
    } catch (error) {
      const place = line.waiting.indexOf(enter);
      if (place >= 0) line.waiting.splice(place, 1);
      // Its turn came together with the abort.
      else this.pass(line);
      throw error;
    }
  }

  private free(key: string, line: Line): void {
    this.pass(line);
    if (line.busy === 0) this.lines.delete(key);
  }

  private pass(line: Line): void {
    const next = line.waiting.shift();
    if (next) next();
    else line.busy--;
  }
}
