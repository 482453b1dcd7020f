import {
  configHash,
  type EvaluationConfig,
  type HashedDefinition,
  hashed,
  type ScoreDefinition,
} from './definition.ts';
import type { Score } from './score.ts';

/** The combined result of the scores of a gating definition. */
type Standing = 'passed' | 'failed' | 'error' | 'skipped' | 'ignored' | 'unresolved';

export interface Gate {
  passed: boolean;
  /** IDs of the scorers that keep the trial from passing. */
  failed: string[];
  unresolved: string[];
}

/** Passes if every gating definition passes or is ignored. A definition without scores is unresolved. */
export function gate(definitions: readonly HashedDefinition[], scores: readonly Score[]): Gate {
  const result: Gate = { passed: true, failed: [], unresolved: [] };
  for (const { definition, standing } of standings(definitions, scores)) {
    if (standing === 'passed' || standing === 'ignored') continue;
    result.passed = false;
    (standing === 'unresolved' ? result.unresolved : result.failed).push(definition.scorerId);
  }
  return result;
}

/** Why the scores cannot establish a verdict; empty if they can. */
export function evaluatorErrors(
  definitions: readonly HashedDefinition[],
  scores: readonly Score[],
): string[] {
  const errors: string[] = [];
  for (const { definition, rows } of standings(definitions, scores)) {
    const { scorerId, label = scorerId, onError, onSkipped } = definition;
    const error = rows.find(({ status }) => status === 'error');
    if (error && onError === 'fail') errors.push(`${label}: ${error.error ?? 'error'}`);
    if (onSkipped === 'ignore') continue;
    if (rows.length === 0) errors.push(`${label} was not scored`);
    if (rows.some(({ status }) => status === 'skipped')) errors.push(`${label} was skipped`);
  }
  return errors;
}

/**
 * Whether scores are consistent: the definitions have the recorded hash, each score belongs to one of them, and its
 * fields agree. Inconsistent scores are not shown.
 */
export function isIntact(config: EvaluationConfig, scores: readonly Score[]): boolean {
  return scoreChecker(config)(scores);
}

/** Builds `isIntact` for many trials with the same configuration. */
export function scoreChecker(config: EvaluationConfig): (scores: readonly Score[]) => boolean {
  const definitions = config.definitions.map(hashed);
  const byHash = new Map(definitions.map(({ hash, definition }) => [hash, definition]));
  const ids = new Set(config.definitions.map(({ scorerId }) => scorerId));
  const isSound = ids.size === definitions.length && config.hash === configHash(definitions);
  return (scores) =>
    isSound &&
    scores.every((score) => {
      const definition = byHash.get(score.definitionHash);
      return definition !== undefined && isConsistent(score, definition);
    });
}

function isConsistent(score: Score, definition: ScoreDefinition): boolean {
  const { scorerId, scorerVersion, passThreshold, status, value, passed } = score;
  if (scorerId !== definition.scorerId || scorerVersion !== definition.scorerVersion) return false;
  if (passThreshold !== definition.passThreshold) return false;
  if (status !== 'scored') return value === undefined;
  return value !== undefined && value >= 0 && value <= 1 && passed === value >= passThreshold;
}

interface Standings {
  definition: ScoreDefinition;
  standing: Standing;
  rows: Score[];
}

function standings(definitions: readonly HashedDefinition[], scores: readonly Score[]): Standings[] {
  const byHash = new Map<string, Score[]>();
  for (const score of scores) {
    const rows = byHash.get(score.definitionHash);
    if (rows) rows.push(score);
    else byHash.set(score.definitionHash, [score]);
  }
  return definitions
    .filter(({ definition }) => definition.role === 'gating')
    .map(({ definition, hash }) => {
      const rows = byHash.get(hash) ?? [];
      return { definition, rows, standing: standingOf(definition, rows) };
    });
}

/** A failure takes precedence over errors and skipped scores. */
function standingOf({ onError, onSkipped }: ScoreDefinition, rows: readonly Score[]): Standing {
  const relevant = rows.filter(({ status }) => status !== 'not_applicable');
  if (rows.length === 0) return 'unresolved';
  if (relevant.some(({ status, passed }) => status === 'scored' && passed !== true)) return 'failed';
  if (relevant.some(({ status }) => status === 'error') && onError === 'fail') return 'error';
  if (relevant.some(({ status }) => status === 'skipped') && onSkipped === 'fail') return 'skipped';
  return relevant.some(({ status }) => status === 'scored') ? 'passed' : 'ignored';
}
