import { answeredObject } from '../../../evaluation/json/answered.ts';
import { cut } from '../../../evaluation/text/show.ts';

import { asStorable } from '../../../platform/json/storable.ts';

export interface PersonaMessage {
  kind: 'says';
  message: string;
}
export interface PersonaEnd {
  kind: 'ends';
  reason: string;
}

const maxAnswerLength = 60_000;
const maxMessageLength = 4_000;
const maxReasonLength = 500;
/** Other JSON, or truncated JSON, is not a persona's speech. */
const isJson = /^(?:```(?:json)?\s*)?(?:\{|\[\s*["{[\]])/;

/**
 * Parses the answer of the model that plays a persona: the requested JSON object, possibly surrounded by text, or
 * plain text.
 */
export function readPersonaAnswer(text: string): PersonaMessage | PersonaEnd | { kind: 'unreadable' } {
  const all = text.slice(0, maxAnswerLength).trim();
  const answer = answeredObject(all.slice(all.indexOf('{'), all.lastIndexOf('}') + 1));
  if (answer?.['endSession'] === true) return ends(answer['reason']);
  const said = answer?.['message'] ?? (isJson.test(all) ? '' : all);
  const message = typeof said === 'string' ? messageOf(said) : '';
  return message === '' ? { kind: 'unreadable' } : { kind: 'says', message };
}

/** Makes a text storable and bounds its length. */
export function messageOf(text: string): string {
  return cut(asStorable(text).trim(), maxMessageLength);
}

function ends(reason: unknown): PersonaEnd {
  const said = typeof reason === 'string' ? cut(asStorable(reason).trim(), maxReasonLength) : '';
  return { kind: 'ends', reason: said || 'The persona gave no reason' };
}
