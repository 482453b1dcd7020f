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

export function definitionHash(definition: ScoreDefinition): string {
  return sha256(payloadOf(definition));
}

/** Refuses two definitions that share an id and differ. Equal ones are one. */
export function evaluationConfig(definitions: readonly ScoreDefinition[]): EvaluationConfig {
  const byId = new Map<string, ScoreDefinition>();
  for (const definition of definitions) {
    const known = byId.get(definition.scorerId);
    if (known && payloadOf(known) !== payloadOf(definition))
      throw new Error(`Two different scorers have the id ${definition.scorerId}`);
    byId.set(definition.scorerId, known ?? definition);
  }
  const distinct = [...byId.values()];
  return { hash: configHash(distinct), definitions: distinct };
}

export function configHash(definitions: readonly ScoreDefinition[]): string {
  return sha256(`[${definitions.map(payloadOf).sort(byCodeUnit).join(',')}]`);
}

/** Canonical JSON of exactly the fields that count. */
function payloadOf(definition: ScoreDefinition): string {
  const { model, scope } = definition;
  return JSON.stringify(
    sortKeys({
      scorerId: definition.scorerId,
      idSource: definition.idSource,
      scorerVersion: definition.scorerVersion,
      implementationHash: definition.implementationHash,
      deterministic: definition.deterministic,
      passThreshold: definition.passThreshold,
      role: definition.role,
      onError: definition.onError,
      onSkipped: definition.onSkipped,
      ...(model !== undefined && { model }),
      ...(scope !== undefined && { scope }),
    }),
  );
}
