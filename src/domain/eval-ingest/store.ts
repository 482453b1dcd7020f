import { byColumn } from '../../platform/database/columns.ts';
import type { Db } from '../../platform/database/database.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as trials from '../../platform/database/queries/eval-trials.ts';
import { mapYielding } from '../../platform/flow/yielding.ts';
import { newId } from '../../platform/ids.ts';
import { isObject } from '../../platform/json/is-object.ts';
import { asStorable, storableJson } from '../../platform/json/storable.ts';
import { type StoredTrace, storeTrace } from '../artifacts/traces.ts';
import { conflict, invalid } from '../base/refusals.ts';
import { ownerIn } from '../context/access.ts';
import type { ProjectContext } from '../context/context.ts';
import type { RunSnapshot } from '../eval-runs/snapshot.ts';
import type { StoredStages, TrialDetail } from '../eval-runs/stored.ts';
import type { Suite } from '../eval-suites/suite.ts';
import { type Placed, placeResults } from './cases.ts';
import type { Result } from './header.ts';
import type { Recognized } from './recognize.ts';

/** Maximum number of results and scores of a run, over all its requests. */
const maxOfRun = 10_000;
const maxScores = 100_000;
/** Rows per statement. */
const maxAtOnce = 500;

/** A result with its trace stored; no row refers to the blob yet. */
export interface Prepared extends Recognized {
  trace: StoredTrace | undefined;
}

/** Called before the transaction, since it compresses and writes files. */
export async function prepare(context: ProjectContext, results: readonly Recognized[]): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const one of results)
    prepared.push({ ...one, trace: await storeTrace(context, ownerIn(context), traceOf(one.result)) });
  return prepared;
}

export interface Added {
  inserted: number;
  skipped: number;
  total: number;
}

/**
 * Adds results to a run the caller has locked. Results already stored are skipped, or refused if their content
 * differs.
 */
export async function addResults(
  context: ProjectContext,
  db: Db,
  suite: Suite,
  run: runs.RunRow,
  snapshot: RunSnapshot,
  prepared: readonly Prepared[],
): Promise<Added> {
  const fresh = await unknown(db, run.id, prepared);
  const total = run.trials + fresh.length;
  if (total > maxOfRun)
    throw conflict(`A run can have at most ${maxOfRun.toLocaleString('en')} results`, 'LIMIT_REACHED', {
      limit: maxOfRun,
    });
  countScores(snapshot, fresh);
  const skipped = prepared.length - fresh.length;
  if (fresh.length === 0) return { inserted: 0, skipped, total };
  const placed = await placeResults(
    context,
    db,
    suite,
    snapshot,
    fresh.map(({ result }) => result),
  );
  const now = context.clock();
  const rows = await mapYielding([...placed.entries()], ([at, one]) =>
    rowOf(now, run.trials + at, one, fresh[at] as Prepared),
  );
  for (const { trace } of fresh)
    if (trace?.blob) {
      await db.run(blobRows.insert, trace.blob);
      await db.run(blobRows.forgetGarbage, { ids: [trace.blob.id] });
    }
  const artifacts = [...new Set(fresh.flatMap((one) => one.artifacts))];
  if (artifacts.length > 0)
    await db.run(blobRows.refer, { ids: artifacts, projectId: context.project.id, runId: run.id });
  // In batches, to bound the size of a statement.
  for (let at = 0; at < rows.length; at += maxAtOnce)
    await db.run(trials.insertReported, {
      ...byColumn(rows.slice(at, at + maxAtOnce)),
      organizationId: run.organizationId,
      projectId: context.project.id,
      runId: run.id,
      finishedAt: now,
      stages: JSON.stringify(noStages),
    });
  const sum = (field: 'input' | 'output'): number =>
    fresh.reduce((tokens, { result }) => tokens + (result.tokens?.[field] ?? 0), 0);
  await db.run(runs.addReported, {
    id: run.id,
    snapshot,
    trials: rows.length,
    passed: fresh.filter(({ result }) => result.passed).length,
    inputTokens: sum('input'),
    outputTokens: sum('output'),
    deadlineAt: now + context.config.evalRunTimeout * 1000,
  });
  return { inserted: rows.length, skipped, total };
}

/** Limits the scores of a run, which are read together when runs are compared. */
function countScores(snapshot: RunSnapshot, fresh: readonly Prepared[]): void {
  const more = fresh.reduce((sum, { result }) => sum + (result.scores?.length ?? 0), 0);
  const total = (snapshot.scores ?? 0) + more;
  if (total > maxScores)
    throw conflict(`A run can have at most ${maxScores.toLocaleString('en')} scores`, 'LIMIT_REACHED', {
      limit: maxScores,
    });
  if (more > 0) snapshot.scores = total;
}

/** The results the run does not have yet. Refuses a known ID with different content. */
async function unknown(db: Db, runId: string, prepared: readonly Prepared[]): Promise<Prepared[]> {
  const named = prepared.flatMap(({ result }) => result.externalIterationId ?? []);
  const rows = named.length === 0 ? [] : await db.rows(trials.knownReported, { runId, externalIds: named });
  const known = new Map(rows.map(({ externalId, contentHash }) => [externalId, contentHash]));
  return prepared.filter(({ result: { externalIterationId: id }, contentHash }) => {
    if (typeof id !== 'string') return true;
    const before = known.get(id);
    if (before !== undefined && before !== contentHash)
      throw conflict(
        `The result ${id} was already sent with different content. Use a new externalIterationId`,
        'EXTERNAL_ITERATION_CONFLICT',
        { externalIterationId: id },
      );
    known.set(id, contentHash);
    return before === undefined;
  });
}

function rowOf(
  now: number,
  position: number,
  { result, case: planned, variant, number }: Placed,
  { contentHash, trace }: Prepared,
): trials.ReportedTrial {
  const { tokens } = result;
  return {
    trialId: newId('itr', now),
    position,
    caseId: planned.id,
    variant,
    number,
    passed: result.passed,
    durationMs: result.durationMs ? Math.round(result.durationMs) : null,
    totalTokens: tokens?.total ?? (tokens ? (tokens.input ?? 0) + (tokens.output ?? 0) : null),
    detail: storedDetail(result, planned, variant),
    warning: warningOf(result).warning ?? null,
    traceBody: trace?.body ?? null,
    traceBlobId: trace?.blob?.id ?? null,
    externalId: result.externalIterationId == null ? null : asStorable(result.externalIterationId),
    contentHash,
  };
}

/** A trial reported as passed, but with an error or a failed gating score, stays passed and gets a warning. */
function warningOf({ passed, error, scores, evaluationConfig }: Result): Pick<TrialDetail, 'warning'> {
  const gating = new Set(
    evaluationConfig?.definitions.flatMap(({ scorerId, role }) =>
      role === 'gating' || role === 'required' ? [scorerId] : [],
    ),
  );
  const failed = scores?.some(
    ({ scorerId, passed: met }) => met === false && typeof scorerId === 'string' && gating.has(scorerId),
  );
  return passed && (error || failed) ? { warning: 'reported_with_failure' } : {};
}

/** Reported trials have no stages. */
const noStages: StoredStages = { rows: [], analyzerVersion: 0, setup: [], stageMs: {} };

/** Characters of JSON per trial; details of many trials are read at once. */
const largestDetail = 131_072;

function storedDetail(result: Result, planned: Placed['case'], variant: number): string {
  const detail = storableJson(detailOf(result, planned, variant));
  if (detail.length <= largestDetail) return detail;
  const limit = largestDetail.toLocaleString('en');
  throw invalid(
    `The result ${result.externalIterationId ?? result.caseTitle} has more than ${limit} characters of tool calls, scores and grading. Send large data in its trace`,
  );
}

function detailOf(result: Result, planned: Placed['case'], variant: number): TrialDetail {
  const { tokens, scores, evaluationConfig } = result;
  const model = planned.variants[variant];
  return {
    title: planned.title,
    caseId: planned.declaredId,
    model: model?.model ?? '',
    provider: model?.provider ?? '',
    usage: tokens
      ? { inputTokens: tokens.input, outputTokens: tokens.output, totalTokens: tokens.total }
      : null,
    actualToolCalls: callsOf(result.actualToolCalls),
    expectedToolCalls: callsOf(result.expectedToolCalls),
    error: result.error ?? null,
    ...warningOf(result),
    predicateResults: [],
    scores: scores ?? [],
    configHash: null,
    ...(evaluationConfig && {
      evaluationConfig: evaluationConfig as unknown as NonNullable<TrialDetail['evaluationConfig']>,
    }),
    steps: [],
    stageResults: [],
    stageAnalyzerVersion: 0,
  };
}

function callsOf(calls: Result['actualToolCalls']): TrialDetail['actualToolCalls'] {
  return (calls ?? []).map(({ toolName, arguments: given }) => ({ toolName, arguments: given ?? {} }));
}

/** Converts to Drydock's trace format. A trace in another format is embedded as it is. */
function traceOf({ trace, widgetSnapshots, errorDetails }: Result): string | undefined {
  if (trace == null && !widgetSnapshots && !errorDetails) return undefined;
  const given: unknown = Array.isArray(trace) ? { messages: trace } : trace;
  const told = isObject(given) && hasLists(given) ? given : { raw: trace };
  return JSON.stringify({
    messages: [],
    ...told,
    traceVersion: 1,
    ...(widgetSnapshots && { widgetSnapshots }),
    ...(errorDetails && { errorDetails }),
  });
}

/** Whether the trace has the lists its readers expect. */
function hasLists(trace: Record<string, unknown>): boolean {
  return ['messages', 'spans', 'prompts'].every((name) => {
    const list = trace[name];
    return list === undefined || (Array.isArray(list) && list.every(isObject));
  });
}
