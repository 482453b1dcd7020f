import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { InputOf, OutputOf } from '../../../contract/operation.ts';
import { backtestTrial, resolveMatchOptions, type Score, type TrialPlan } from '../../../evaluation/index.ts';
import * as backtests from '../../../platform/database/queries/eval-backtests.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { readTrace } from '../../artifacts/traces.ts';
import { invalid } from '../../base/refusals.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { checkList } from '../../eval-suites/cases/definition.ts';
import { storedCheck, vocabularyOf } from '../../eval-suites/cases/vocabulary.ts';
import { findRun, snapshotOf } from '../find.ts';
import { refuseOpen } from '../judge/request.ts';
import { casesById, type PlannedCase, type RunSnapshot } from '../snapshot.ts';
import type { TrialDetail } from '../stored.ts';
import { trialPlan } from '../trial-plan.ts';
import { type BacktestSession, enforceCooldown, pageOf, reserve } from './reservation.ts';

type Draft = Omit<InputOf<Operations['backtestEvalRun']>['body'], 'continuation'>;
type Report = OutputOf<Operations['backtestEvalRun']>;

/** Maximum number of trials in a response, seconds it may take, and minimum seconds between two drafts. */
const maxTrials = 100;
const deadline = 30;
const cooldown = 60;

export const backtestEvalRun: Verb<'backtestEvalRun'> = async (context, input) => {
  const { continuation, ...body } = input.body;
  const run = await findRun(context, input.runId);
  refuseOpen(run);
  const list = body.assertions.list.map((check, at) =>
    storedCheck(check, vocabularyOf(input), `assertions.list.${at}`),
  );
  checkList(list, 'assertions.list');
  const draft = { ...body, assertions: { ...body.assertions, list } };
  const reservation = await reserve(context, run, {
    kind: 'checks',
    draft,
    continued: continuation && { ...continuation, cursor: cursorIn(continuation.cursor) },
    admit: (db) => enforceCooldown(db, run.id, 'checks', cooldown),
  });
  return pageOf(context, reservation, () => report(context, run, draft, reservation));
};

function cursorIn(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalid('continuation.cursor: Not a cursor of this run');
  return Number(text);
}

/** Backtests trials from the cursor on until the page is full or its time limit is reached. */
async function report(
  context: ProjectContext,
  run: RunRow,
  draft: Draft,
  { id, sourceHash, draftHash, cursor }: BacktestSession,
): Promise<{ page: Report; next: number | null }> {
  const { db } = context;
  const snapshot = await snapshotOf(context, run.id);
  const plans = new DraftPlans(snapshot, draft);
  const counts = { iterations: 0, comparable: 0, ungradable: 0, flipped: 0 };
  const differences: Record<string, unknown>[] = [];
  const until = performance.now() + deadline * 1000;
  const gone = context.callerGone();
  const rows = await db.rows(backtests.recordedAfter, {
    runId: run.id,
    after: cursor - 1,
    most: maxTrials + 1,
  });
  const page = rows.slice(0, maxTrials);
  for (const row of page) {
    if (gone.aborted || performance.now() > until) break;
    const detail = row.detail as TrialDetail;
    const plan = snapshot.reported ? undefined : plans.of(row.caseId);
    const stored = plan && (await db.row(trials.findTrace, { id: row.trialId }));
    const { trace } = stored ? await readTrace(context, stored) : {};
    const tested = plan
      ? backtestTrial(plan.frozen, plan.draft, {
          status: row.status,
          result: row.result,
          evaluatorError: row.evaluatorError,
          trace,
          usage: detail.usage ?? undefined,
          steps: detail.steps,
          rows: detail.predicateResults,
          scores: detail.scores as Score[],
        })
      : ({ outcome: 'ungradable', reason: 'The trial ran elsewhere' } as const);
    counts.iterations++;
    counts[tested.outcome === 'ungradable' ? 'ungradable' : 'comparable']++;
    const place = { iterationId: row.trialId, caseKey: detail.caseId, title: detail.title };
    if (tested.outcome === 'flipped') {
      counts.flipped++;
      const { before, after, reasons } = tested;
      differences.push({ ...place, kind: 'flipped', before, after, reasons });
    } else if (tested.outcome === 'ungradable')
      differences.push({ ...place, kind: 'ungradable', reason: tested.reason });
  }
  if (counts.iterations === 0 && page.length > 0)
    throw new Refusal('TIMEOUT', `No trial could be regraded within ${deadline} s. Try again later`);
  const complete = counts.iterations === rows.length;
  const next = complete ? null : (page[counts.iterations - 1]?.position ?? 0) + 1;
  const answer: Report = {
    schemaVersion: 1,
    sourceRunId: run.id,
    sourceHash,
    draftHash,
    configRevision: run.suiteRevision,
    complete,
    continuationAvailable: !complete,
    counts,
    differences,
    modelUse: 'none',
    ...(next !== null && {
      continuation: { cursor: String(next), sourceHash, reservationId: id, draftHash },
    }),
  };
  return { page: answer, next };
}

/** Caches the plans of each case as launched and as drafted; all trials of a case share them. */
class DraftPlans {
  private readonly snapshot: RunSnapshot;
  private readonly draft: Draft;
  private readonly cases: ReadonlyMap<string, PlannedCase>;
  private readonly made = new Map<string, { frozen: TrialPlan; draft: TrialPlan }>();

  constructor(snapshot: RunSnapshot, draft: Draft) {
    this.snapshot = snapshot;
    this.draft = draft;
    this.cases = casesById(snapshot);
  }

  of(caseId: string): { frozen: TrialPlan; draft: TrialPlan } | undefined {
    const planned = this.cases.get(caseId);
    const known = this.made.get(caseId);
    if (known || !planned) return known;
    const frozen = trialPlan(planned, this.snapshot);
    const { assertions, matchOptions } = this.draft;
    const { mode, list } = assertions;
    const checks = { inherit: frozen.checks, replace: list, extend: [...frozen.checks, ...list] }[mode];
    const match = matchOptions === undefined ? frozen.match : changedMatch(frozen, matchOptions);
    const made = { frozen, draft: { ...frozen, checks, match } };
    this.made.set(caseId, made);
    return made;
  }
}

/** Applies the draft's match options over the run's; `null` resets them to the defaults. */
function changedMatch(
  { match: { order, extra, arguments: args } }: TrialPlan,
  changes: NonNullable<Draft['matchOptions']> | null,
): TrialPlan['match'] {
  if (changes === null) return resolveMatchOptions();
  const frozen = { toolCallOrder: order, extraToolCalls: extra ?? ('unlimited' as const), arguments: args };
  return resolveMatchOptions(frozen, changes);
}
