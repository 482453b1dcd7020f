import { KeyedSemaphore } from '../../platform/flow/semaphore.ts';
import type { Services } from '../context/context.ts';
import { CallLedger } from './ledger.ts';
import type { ModelParts } from './open-model.ts';
import { ModelPauses } from './pauses.ts';

/** Slots of this process only: a request does not wait for the slots that all processes share. */
const slots = new KeyedSemaphore();

/**
 * For model calls of requests, outside the worker. An organization gets at most half of a model's slots, since turns
 * may take minutes.
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
