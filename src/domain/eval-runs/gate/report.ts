import { createHash } from 'node:crypto';
import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { evaluateGate, type GateSide, type Unanswerable } from '../../../evaluation/index.ts';
import { canonicalJson } from '../../../platform/canonical.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import type { InProject } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import type { SuiteSettings } from '../../eval-suites/settings.ts';
import { findSuite } from '../../eval-suites/suite.ts';
import { type Baseline, baselineOf } from '../compare/baseline.ts';
import { type Side, sideOf } from '../compare/side.ts';
import { presentEligibility } from '../import-eligibility.ts';
import { isOpen } from '../is-open.ts';
import { findRun } from '../read/find.ts';

type Policy = NonNullable<SuiteSettings['qualityGate']>;

export const getEvalRunGate: Verb<'getEvalRunGate'> = (context, { runId }) =>
  // Reads both runs in one snapshot.
  context.db.snapshot(async (db) => {
    const moment = { db, project: context.project };
    return gateOf(moment, await findRun(moment, runId));
  });

/** Evaluates the quality gate of the suite for a run. */
export async function gateOf(
  context: InProject,
  run: RunRow,
): Promise<OutputOf<Operations['getEvalRunGate']>> {
  const { settings } = await findSuite(context, run.suiteId);
  const policy = settings.qualityGate ?? null;
  const shared = { schemaVersion: 1 as const, evaluatorVersion: 1 as const, policy };
  if (!policy)
    return { ...shared, policyHash: null, outcome: 'not_configured', baseline: null, conditions: [] };
  const base = await baseOf(context, run, policy);
  const was = 'reason' in base ? base : await sideOrWhy(context.db, base.run, 'baseline');
  const is = await sideOrWhy(context.db, run, 'run');
  const common = 'reason' in was || 'reason' in is ? undefined : keysOf(was, keysOf(is));
  const gate = evaluateGate(policy, factsOf(is, common), factsOf(was, common));
  return { ...shared, policyHash: hashOf(policy), ...gate, baseline: presentBaseline(base) };
}

async function baseOf(
  context: InProject,
  run: RunRow,
  { baseline }: Policy,
): Promise<Baseline | Unanswerable> {
  if (!baseline) return { reason: 'baselineNotConfigured', message: 'The gate has no baseline' };
  try {
    return await baselineOf(context, run, namedBy(baseline));
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND')
      return { reason: 'baselineNotFound', message: error.message };
    throw error;
  }
}

function namedBy(baseline: NonNullable<Policy['baseline']>): Parameters<typeof baselineOf>[2] {
  switch (baseline.kind) {
    case 'run':
      return { baseRunId: baseline.runId };
    case 'commit_sha':
      return { baseCommitSha: baseline.commitSha };
    case 'branch':
      return { baseBranch: baseline.branch };
    case 'previous':
      return {};
  }
}

function presentBaseline(base: Baseline | Unanswerable) {
  if ('reason' in base) return null;
  const { policy, run, commitSha, branch } = base;
  return {
    policy,
    baseRunId: run.id,
    ...(commitSha !== undefined && { baseCommitSha: commitSha }),
    ...(branch !== undefined && { baseBranch: branch }),
  };
}

async function sideOrWhy(db: Db, run: RunRow, which: 'run' | 'baseline'): Promise<Side | Unanswerable> {
  if (isOpen(run.status)) return { reason: `${which}NotTerminal`, message: `The ${which} is ${run.status}` };
  if (!presentEligibility(run.importEligibility).gateable)
    return {
      reason: `${which}NotEligible`,
      message: `The ${which} has cases that only approximate the imported originals`,
    };
  return sideOf(db, run);
}

function keysOf({ cases }: Side, among?: ReadonlySet<string>): Set<string> {
  const keys = cases.map(({ key }) => key);
  return new Set(among ? keys.filter((key) => among.has(key)) : keys);
}

/** Rates and latencies over the cases both runs have, so that a new case is no regression. */
function factsOf(
  side: Side | Unanswerable,
  common: ReadonlySet<string> | undefined,
): GateSide | Unanswerable {
  if ('reason' in side) return side;
  const { cases, scores, definitions } = side;
  const trials = cases.filter(({ key }) => common?.has(key) ?? true).flatMap((one) => one.trials);
  const judged = trials.filter(({ passed }) => passed !== undefined);
  return {
    passRate: judged.length === 0 ? undefined : judged.filter(({ passed }) => passed).length / judged.length,
    durationsMs: trials.flatMap(({ durationMs }) => durationMs ?? []),
    scores: [...scores].flatMap(([caseKey, rows]) =>
      rows.flatMap(({ scorerId, definitionHash, scored, passed, errors }) => {
        const nature = definitions.get(scorerId ?? '');
        if (scorerId === null || !nature) return [];
        return [
          {
            caseKey,
            scorerId,
            definitionHash,
            ...nature,
            scored: scored ?? 0,
            passed: passed ?? 0,
            errors: errors ?? 0,
          },
        ];
      }),
    ),
  };
}

function hashOf(policy: Policy): string {
  return createHash('sha256').update(canonicalJson(policy)).digest('hex');
}
