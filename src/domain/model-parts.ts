import { Slots } from '../models/slots.ts';
import type { Services } from './context.ts';
import type { ModelParts } from './eval-runs/execute/ask-model.ts';
import { CallLedger } from './eval-runs/execute/ledger.ts';
import { ModelPauses } from './eval-runs/execute/pauses.ts';

/** Of this process: whoever asks waits for the answer. */
const slots = new Slots();

/** With which a request asks a model, outside of the worker. */
export function partsForRequest(services: Services): ModelParts {
  const { db } = services;
  return { services, slots, pauses: new ModelPauses(db), ledger: new CallLedger(db) };
}
