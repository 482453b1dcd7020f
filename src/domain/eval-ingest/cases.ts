import { createHash } from 'node:crypto';
import { resolveMatchOptions } from '../../evaluation/index.ts';
import type { Db } from '../../platform/database/database.ts';
import * as cases from '../../platform/database/queries/eval-cases.ts';
import { newId } from '../../platform/ids.ts';
import type { ProjectContext } from '../context/context.ts';
import type { PlannedCase, RunSnapshot } from '../eval-runs/snapshot.ts';
import { addCases } from '../eval-suites/cases/add.ts';
import type { CaseDefinition } from '../eval-suites/cases/definition.ts';
import type { Suite } from '../eval-suites/suite.ts';
import type { Result } from './header.ts';
import { ownsItsCases } from './suite.ts';

/** A result with its position in the run. */
export interface Placed {
  result: Result;
  case: PlannedCase;
  variant: number;
  number: number;
}

/**
 * Finds the case of each result by given ID, otherwise by title. Missing cases are added to the suite if it is
 * managed by reports, otherwise only to the run. Updates the snapshot.
 */
export async function placeResults(
  context: ProjectContext,
  db: Db,
  suite: Suite,
  snapshot: RunSnapshot,
  results: readonly Result[],
): Promise<Placed[]> {
  const known = await db.rows(cases.names, { suiteId: suite.id });
  const byName = new Map<string, { id: string; declaredId: string }>();
  // Cases the suite had no room for are found in the run's snapshot.
  for (const one of [...snapshot.cases, ...known])
    for (const name of [one.title, one.declaredId, one.id]) byName.set(name, one);
  const planned = new Map(snapshot.cases.map((one) => [one.id, one]));
  const counts = new Map<string, number>();
  const added: { id: string; title: string; declaredId: string; definition: CaseDefinition }[] = [];
  const placed: Placed[] = [];
  const owned = ownsItsCases(suite);
  for (const result of results) {
    const declaredId = declaredIdOf(result);
    const names = [result.externalCaseId, result.caseId, result.caseTitle, declaredId];
    let found = names.flatMap((name) => (name ? (byName.get(name) ?? []) : []))[0];
    if (!found) {
      found = { id: owned ? newId('case', context.clock()) : `ext_${declaredId}`, declaredId };
      if (owned) added.push({ ...found, title: result.caseTitle, definition: definitionOf(result) });
      for (const name of [result.caseTitle, declaredId]) byName.set(name, found);
    }
    const inRun = planned.get(found.id) ?? plannedCase(found, result);
    planned.set(found.id, inRun);
    const variant = variantOf(inRun, result);
    const place = `${found.id} ${variant}`;
    const number = (counts.get(place) ?? trialsOf(inRun, variant)) + 1;
    counts.set(place, number);
    (inRun.reported ??= {})[variant] = number;
    inRun.trials = Math.max(inRun.trials, number);
    noteScoring(snapshot, inRun, result);
    placed.push({ result, case: inRun, variant, number });
  }
  if (added.length > 0) await addCases(context, db, suite.id, added);
  snapshot.cases = [...planned.values()];
  return placed;
}

/** Maximum number of scoring configs per run; scores beyond are shown, but not compared. */
const maxScorings = 20;

/** Stores the scoring config of a result, once for all results that share it. */
function noteScoring(snapshot: RunSnapshot, inRun: PlannedCase, { evaluationConfig }: Result): void {
  if (!evaluationConfig) return;
  const { hash, definitions } = evaluationConfig;
  const known = (snapshot.scorings ??= {});
  if (!Object.hasOwn(known, hash)) {
    if (Object.keys(known).length >= maxScorings) return;
    known[hash] = Object.fromEntries(
      definitions.map(({ scorerId, role, deterministic }) => [
        scorerId,
        { gating: role === 'gating' || role === 'required', deterministic: deterministic === true },
      ]),
    );
  }
  inRun.scoring = hash;
}

function trialsOf({ reported }: PlannedCase, variant: number): number {
  return reported?.[variant] ?? 0;
}

/** The given ID if valid, otherwise one derived from the title. */
function declaredIdOf({ externalCaseId, caseId, caseTitle }: Result): string {
  const given = [externalCaseId, caseId].find((id) => id && /^[A-Za-z0-9_-]{1,128}$/.test(id));
  const hash = createHash('sha256').update(externalCaseId ?? caseId ?? caseTitle);
  return given ?? `x_${hash.digest('base64url').slice(0, 21)}`;
}

function definitionOf({ query, caseTitle, expectedOutput, isNegativeTest }: Result): CaseDefinition {
  return {
    steps: [{ id: '1', kind: 'prompt', prompt: query || caseTitle }],
    ...(expectedOutput && { expectedOutput }),
    iterations: 1,
    isNegative: isNegativeTest ?? false,
    models: [],
  };
}

function plannedCase({ id, declaredId }: { id: string; declaredId: string }, result: Result): PlannedCase {
  const { query, caseTitle, expectedOutput, isNegativeTest } = result;
  return {
    id,
    declaredId,
    title: caseTitle,
    steps: [{ id: '1', kind: 'prompt', prompt: brief(query || caseTitle) }],
    isNegative: isNegativeTest ?? false,
    ...(expectedOutput && { expectedOutput: brief(expectedOutput) }),
    checks: [],
    match: resolveMatchOptions(),
    failOnToolError: false,
    trials: 0,
    passThreshold: 1,
    variants: [],
  };
}

/** Maximum number of characters of a text in the snapshot. */
const maxKept = 500;

/**
 * Truncates a text for the snapshot, which is read and written with every request of a run, and appends a hash to
 * keep it distinct.
 */
function brief(text: string): string {
  if (text.length <= maxKept) return text;
  const hash = createHash('sha256').update(text).digest('hex');
  return `${text.slice(0, maxKept).toWellFormed()}… (SHA-256 ${hash})`;
}

function variantOf({ variants }: PlannedCase, result: Result): number {
  const model = result.model ?? 'unknown';
  const provider = result.provider ?? 'unknown';
  const at = variants.findIndex((one) => one.model === model && one.provider === provider);
  return at >= 0 ? at : variants.push({ model, provider }) - 1;
}
