import { byCodeUnit, sortKeys } from '../../platform/canonical.ts';
import type { TurnScope } from '../checks/evaluate.ts';
import { sha256 } from '../json/value.ts';

/** How one score comes about. All but the label is hashed: two with the same hash measure the same. */
export interface ScoreDefinition {
  scorerId: string;
  /** Whether somebody named it, it was made from a check, or it is one of ours. */
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

/** The definitions that the scores of a trial belong to. */
export interface EvaluationConfig {
  hash: string;
  definitions: ScoreDefinition[];
}

/** With what it is known by. Made once: hashing is most of what grading costs. */
export interface HashedDefinition {
  definition: ScoreDefinition;
  payload: string;
  hash: string;
}

export function hashed(definition: ScoreDefinition): HashedDefinition {
  const payload = payloadOf(definition);
  return { definition, payload, hash: sha256(payload) };
}

/** Refuses two definitions that share an id and differ. Equal ones are one. */
export function evaluationConfig(all: readonly HashedDefinition[]): EvaluationConfig {
  const byId = new Map<string, HashedDefinition>();
  for (const one of all) {
    const { scorerId } = one.definition;
    const known = byId.get(scorerId) ?? one;
    if (known.hash !== one.hash) throw new Error(`Two different scorers have the id ${scorerId}`);
    byId.set(scorerId, known);
  }
  const distinct = [...byId.values()];
  return { hash: configHash(distinct), definitions: distinct.map(({ definition }) => definition) };
}

export function configHash(all: readonly HashedDefinition[]): string {
  const payloads = all.map(({ payload }) => payload).sort(byCodeUnit);
  return sha256(`[${payloads.join(',')}]`);
}

/** Canonical JSON of exactly the fields that count: the keys stand here in their order. */
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
