import type { z } from 'zod';
import type {
  ReadinessFinding,
  ReadinessKind,
  ReadinessLane,
  ReadinessVerdict,
} from '../contract/readiness.ts';
import type { Evidence, Known, Unknown } from './evidence.ts';

export type Finding = z.infer<typeof ReadinessFinding>;
export type Lane = z.infer<typeof ReadinessLane>;
export type Kind = z.infer<typeof ReadinessKind>;
export type Verdict = z.infer<typeof ReadinessVerdict>;

/** What a run may have to work with. */
export type Capability = 'mcp-session' | 'oauth-discovery' | 'declared-inputs' | 'side-effects' | 'browser';

/** What one look at the evidence came to. */
export type Outcome = Pick<Finding, 'status' | 'details' | 'notEvaluatedReason' | 'missingInputs'>;

/** One rule of a directory. */
export interface Check {
  id: `${Kind}.${string}.${string}`;
  title: string;
  lane: Lane;
  class: Finding['class'];
  provenance: Finding['provenance'];
  intrusiveness: Finding['intrusiveness'];
  /** Where the directory says so. */
  source: { page: string; section: string };
  remediation: string;
  requiresCapabilities?: readonly Capability[];
  evaluate(this: void, evidence: Evidence): Outcome;
}

export function satisfied(details?: Record<string, unknown>): Outcome {
  return { status: 'satisfied', ...(details && { details }) };
}

export function violated(details: Record<string, unknown>): Outcome {
  return { status: 'violated', details };
}

export function informational(details: Record<string, unknown>): Outcome {
  return { status: 'informational', details };
}

export function notApplicable(why: string): Outcome {
  return { status: 'not-applicable', details: { why } };
}

export function notEvaluated(reason: string, ...missingInputs: string[]): Outcome {
  return {
    status: 'not-evaluated',
    notEvaluatedReason: reason,
    ...(missingInputs.length > 0 && { missingInputs }),
  };
}

function unseen({ reason, missing }: Unknown): Outcome {
  return missing === undefined ? notEvaluated(reason) : notEvaluated(reason, missing);
}

/** What follows from a part of the evidence; not evaluated where it is not there. */
export function from<T>(part: Known<T>, judge: (value: T) => Outcome): Outcome {
  return part.known ? judge(part.value) : unseen(part);
}

const mostNamed = 20;

/** Satisfied when nothing is to be named; otherwise it says of what, as far as that fits. */
export function noneOf(names: readonly string[], problem: string): Outcome {
  if (names.length === 0) return satisfied();
  return violated({ problem, count: names.length, items: names.slice(0, mostNamed) });
}
