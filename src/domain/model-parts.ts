import { Slots } from '../models/slots.ts';
import type { Services } from './context.ts';
import type { ModelParts } from './eval-runs/execute/ask-model.ts';
import { CallLedger } from './eval-runs/execute/ledger.ts';
import { ModelPauses } from './eval-runs/execute/pauses.ts';

/** Of this process: whoever asks waits for the answer. */
const slots = new Slots();

/**
 * With which a request asks a model, outside of the worker. An organization has half of the slots of a model at most, so
 * that the turns of one, which may take minutes, leave some to others.
 */
export function partsForRequest(services: Services, organizationId: string): ModelParts {
  const { db, clock } = services;
  const shared: ModelParts['slots'] = {
    run: (name, most, signal, work) =>
      slots.run(`${name} of ${organizationId}`, Math.ceil(most / 2), signal, () =>
        slots.run(name, most, signal, work),
      ),
  };
  return {
    services,
    slots: shared,
    pauses: new ModelPauses(db),
    ledger: new CallLedger(db, clock, { atOnce: true }),
  };
}
