import type { Dialog } from 'playwright-core';
import type { DialogRecord } from './command.ts';

const maxRecords = 50;
const maxText = 2_000;

/**
 * The alerts, confirmations and prompts of a tab. A dialog stays open until a command answers it; another command or
 * the timeout dismisses it. `beforeunload` dialogs are always accepted, because dismissing them would keep the session
 * on the page.
 */
export class Dialogs {
  readonly records: DialogRecord[] = [];
  private readonly timeout: number;
  private current: { dialog: Dialog; record: DialogRecord; timer: NodeJS.Timeout } | undefined;
  private readonly waiting = new Set<(record: DialogRecord) => void>();

  constructor(timeout: number) {
    this.timeout = timeout;
  }

  get open(): DialogRecord | undefined {
    return this.current?.record;
  }

  /** Settles when a dialog opens. Call `stop` when it is no longer needed. */
  next(): { opened: Promise<DialogRecord>; stop: () => void } {
    let stop = (): void => {};
    const opened = new Promise<DialogRecord>((resolve) => {
      this.waiting.add(resolve);
      stop = () => this.waiting.delete(resolve);
    });
    return { opened, stop };
  }

  receive(dialog: Dialog): void {
    const record: DialogRecord = {
      kind: dialog.type(),
      message: dialog.message().slice(0, maxText),
      defaultValue: dialog.defaultValue().slice(0, maxText),
      at: Date.now(),
      outcome: 'open',
    };
    this.records.push(record);
    if (this.records.length > maxRecords) this.records.shift();
    if (record.kind === 'beforeunload') {
      record.outcome = 'accepted';
      void dialog.accept().catch(() => {});
      return;
    }
    this.current = { dialog, record, timer: setTimeout(() => void this.answer(false), this.timeout) };
    for (const tell of this.waiting) tell(record);
    this.waiting.clear();
  }

  /** Returns whether a dialog was open. */
  async answer(accept: boolean, text?: string): Promise<boolean> {
    const { current } = this;
    if (!current) return false;
    this.current = undefined;
    clearTimeout(current.timer);
    current.record.outcome = accept ? 'accepted' : 'dismissed';
    await (accept ? current.dialog.accept(text) : current.dialog.dismiss()).catch(() => {});
    return true;
  }

  forget(): void {
    clearTimeout(this.current?.timer);
    this.current = undefined;
  }
}
