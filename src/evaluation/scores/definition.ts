import { byCodeUnit, sortKeys } from '../../platform/canonical.ts';
import type { TurnScope } from '../checks/evaluate.ts';
import { sha256 } from '../json/value.ts';

/** How a score is computed. Everything except the label is hashed, so equal hashes mean equal measurements. */
export interface ScoreDefinition {
  scorerId: string;
  /** Whether an author named the scorer, its ID was generated from a check, or the platform defines it. */
  idSource: 'explicit' | 'generated' | 'platform';
  scorerVersion: string;
  implementationHash: string;
  label?: string;
  deterministic: boolean;
  passThreshold: number;
  role: 'gating' | 'advisory';
  onError: 'fail' | 'ignore';
  onSkipped: 'fail' | 'ignore';
  model?: string;
  scope?: TurnScope;
}

/** The definitions of a trial's scores. */
export interface EvaluationConfig {
  hash: string;
  definitions: ScoreDefinition[];
}

/** A definition with its serialized form and hash. Computed once, because hashing dominates the cost of grading. */
export interface HashedDefinition {
  definition: ScoreDefinition;
  payload: string;
  hash: string;
}

export function hashed(definition: ScoreDefinition): HashedDefinition {
  const payload = payloadOf(definition);
  return { definition, payload, hash: sha256(payload) };
}

/** Throws if two different definitions share an ID. Equal ones are merged. */
export function evaluationConfig(all: readonly HashedDefinition[]): EvaluationConfig {
  const byId = new Map<string, HashedDefinition>();
  for (const one of all) {
    const { scorerId } = one.definition;
    const known = byId.get(scorerId) ?? one;
    if (known.hash !== one.hash) throw new Error(`Two different scorers have the ID ${scorerId}`);
    byId.set(scorerId, known);
  }
  const distinct = [...byId.values()];
  return { hash: configHash(distinct), definitions: distinct.map(({ definition }) => definition) };
}

export function configHash(all: readonly HashedDefinition[]): string {
  const payloads = all.map(({ payload }) => payload).sort(byCodeUnit);
  return sha256(`[${payloads.join(',')}]`);
}

/** Canonical JSON of exactly the hashed fields: the keys are in alphabetical order. */
function payloadOf(definition: ScoreDefinition): string {
  const { model, scope } = definition;
  return JSON.stringify({
    deterministic: definition.deterministic,
    idSource: definition.idSource,
    implementationHash: definition.implementationHash,
    ...(model !== undefined && { model }),
    onError: definition.onError,
    onSkipped: definition.onSkipped,
    passThreshold: definition.passThreshold,
    role: definition.role,
    ...(scope !== undefined && { scope: sortKeys(scope) }),
    scorerId: definition.scorerId,
    scorerVersion: definition.scorerVersion,
  });
}
