import type { ModelRoute } from '../../../models/resolve.ts';
import type { Usage } from '../../../models/usage.ts';
import { Batch } from '../../../platform/batch.ts';
import { byColumn } from '../../../platform/database/columns.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as calls from '../../../platform/database/queries/model-calls.ts';
import { newId } from '../../../platform/ids.ts';

interface OpenCall {
  id: string;
  organizationId: string;
  projectId: string;
  runId: string | null;
  trialId: string | null;
  model: string;
  billed: ModelRoute['billed'];
}

interface ClosedCall {
  id: string;
  outcome: string;
  inputTokens: number | null;
  outputTokens: number | null;
  costMicros: number | null;
}

/** Milliseconds; a call that has ended is of interest to nobody who waits. */
const closeWithin = 50;

/**
 * A row before each call that somebody pays for, closed when it has ended: one that stays open was cut off, and may
 * have been billed. The calls of all trials of a process are written together.
 */
export class CallLedger {
  private readonly opening: Batch<OpenCall>;
  private readonly closing: Batch<ClosedCall>;

  constructor(db: Db) {
    this.opening = new Batch(async (items) => {
      await db.run(calls.open, byColumn(items));
    });
    this.closing = new Batch(
      async (items) => {
        await db.run(calls.close, byColumn(items));
      },
      { linger: closeWithin },
    );
  }

  async open(call: Omit<OpenCall, 'id'>): Promise<string> {
    const id = newId('call');
    await this.opening.add({ id, ...call });
    return id;
  }

  close(id: string, outcome: string, usage: Usage, costMicros: number | undefined): Promise<void> {
    return this.closing.add({
      id,
      outcome,
      inputTokens: usage.inputTokens ?? null,
      outputTokens: usage.outputTokens ?? null,
      costMicros: costMicros ?? null,
    });
  }

  /** Resolves when the ends of all calls so far are written. */
  idle(): Promise<void> {
    return this.closing.idle();
  }
}
