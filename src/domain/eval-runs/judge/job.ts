import { lexicalJudge } from '../../../evaluation/index.ts';
import { ModelFailure } from '../../../models/failure.ts';
import { type ApiKeys, resolveModel } from '../../../models/resolve.ts';
import * as judgements from '../../../platform/database/queries/eval-judgements.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { timeoutSignal } from '../../../platform/flow/deadline.ts';
import { forEachConcurrent } from '../../../platform/flow/for-each.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import { storableJson } from '../../../platform/json/storable.ts';
import type { Commit } from '../../../platform/leases/holder.ts';
import { redact } from '../../../platform/log.ts';
import type { Services } from '../../context/context.ts';
import { type Judge, JudgeUnavailable } from '../../judging/ask-judge.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import { isJudged, judgeOf } from '../frozen-judge.ts';
import { casesById, type PlannedCase, type RunSnapshot } from '../snapshot.ts';
import { endJudging, type JudgingEnd } from './begin.ts';
import { type MeasuredTrial, measureTrial, notMeasured } from './measure.ts';

/** Trials judged concurrently. */
const lanes = 4;

interface Payload {
  runId: string;
  request: number;
}

/** Judges runs, trial by trial. Each measurement is stored at once, so a restarted job resumes where it stopped. */
export function judgeHandler(services: Services, parts: ModelParts): JobHandler {
  return {
    handle: (payload, signal) => new Judging(services, parts, payload as Payload, signal).run(),
    givenUp: (payload) => async (trx) => {
      const end: JudgingEnd = { ...(payload as Payload), status: 'failed', errorCode: 'internal_error' };
      await endJudging(trx, end);
    },
  };
}

/** The judgement was ended, or replaced by a newer one. */
class Superseded extends Error {}

class Judging {
  private readonly services: Services;
  private readonly parts: ModelParts;
  private readonly payload: Payload;
  private readonly lease: AbortSignal;

  constructor(services: Services, parts: ModelParts, payload: Payload, lease: AbortSignal) {
    this.services = services;
    this.parts = parts;
    this.payload = payload;
    this.lease = lease;
  }

  async run(): Promise<Commit | undefined> {
    const { db, clock } = this.services;
    const { runId, request } = this.payload;
    const judgement = await db.row(judgements.find, { runId });
    const run = await db.row(runs.get, { id: runId });
    if (!run || judgement?.request !== request || judgement.status !== 'pending') return undefined;
    const { snapshot } = (await db.one(runs.snapshot, { runId })) as { snapshot: RunSnapshot };
    const ended =
      (end: Pick<JudgingEnd, 'status' | 'errorCode'>): Commit =>
      (trx) =>
        endJudging(trx, { runId, request, ...end });
    const left = timeoutSignal(Math.max(0, judgement.deadlineAt - clock()));
    try {
      const judge = await this.judge(run, judgement);
      await this.judgeAll(judge, snapshot, judgement, AbortSignal.any([this.lease, left]));
      const { scored, errors } = await db.one(judgements.counts, { runId, threshold: judgement.threshold });
      // If no answer of the judge was usable, the judgement has failed.
      if (scored === 0 && errors > 0) return ended({ status: 'failed', errorCode: 'no_usable_answer' });
      return ended({ status: 'completed' });
    } catch (error) {
      this.lease.throwIfAborted();
      if (error instanceof Superseded) return undefined;
      if (left.aborted) return ended({ status: 'failed', errorCode: 'deadline_exceeded' });
      if (!(error instanceof JudgeUnavailable)) throw error;
      this.services.log.warn('Judge model not available', { runId, error: redact(error.message) });
      return ended({ status: 'failed', errorCode: error.code });
    }
  }

  /** The judge with the model the request names. API keys of the run are used while they are kept. */
  private async judge(
    run: Pick<runs.RunRow, 'id' | 'organizationId' | 'projectId'> & { sealedId: string | null },
    { model, requestedBy }: judgements.JudgementRow,
  ): Promise<Judge> {
    const { db, vault, models } = this.services;
    const { id, organizationId, projectId, sealedId } = run;
    const apiKeys = sealedId === null ? {} : ((await vault.open(db, sealedId)) as ApiKeys);
    const purpose = { reason: `judge of eval-run ${id}`, actor: requestedBy };
    const asker = { id, organizationId, projectId, apiKeys, purpose };
    if (model === lexicalJudge) return { parts: this.parts, asker, route: undefined };
    const { route, problem } = resolveModel(models, { model }, apiKeys);
    if (problem) throw new JudgeUnavailable(new ModelFailure('bad-request', problem.message));
    return { parts: this.parts, asker, route };
  }

  private async judgeAll(
    judge: Judge,
    snapshot: RunSnapshot,
    { total }: judgements.JudgementRow,
    signal: AbortSignal,
  ): Promise<void> {
    const { db } = this.services;
    const { runId } = this.payload;
    const cases = casesById(snapshot);
    const all = await db.rows(judgements.candidates, { runId });
    // Round-robin: the first trial of each case before the second of any.
    all.sort((a, b) => a.number - b.number || a.position - b.position);
    const done = new Set((await db.rows(judgements.judgedIds, { runId })).map(({ id }) => id));
    const left = all.slice(0, total).filter(({ id }) => !done.has(id));
    await forEachConcurrent(left, lanes, signal, (row, ends) =>
      this.judgeOne(judge, snapshot, cases.get(row.caseId), row, ends),
    );
  }

  private async judgeOne(
    judge: Judge,
    snapshot: RunSnapshot,
    planned: PlannedCase | undefined,
    row: judgements.CandidateRow,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const measured = await this.measured(judge, snapshot, planned, row, signal);
    signal.throwIfAborted();
    const { runId, request } = this.payload;
    const { goal, groundedness, billedMicros } = measured;
    const held = await this.services.db.row(judgements.record, {
      runId,
      request,
      trialId: row.id,
      position: row.position,
      caseKey: planned?.declaredId ?? row.caseId,
      goal: storableJson(goal),
      groundedness: storableJson(groundedness),
      billedMicros,
    });
    if (!held) throw new Superseded();
  }

  private async measured(
    judge: Judge,
    snapshot: RunSnapshot,
    planned: PlannedCase | undefined,
    row: judgements.CandidateRow,
    signal: AbortSignal,
  ): Promise<MeasuredTrial> {
    if (!planned || !(isJudged(planned) || snapshot.reported))
      return notMeasured('not_judged', 'The case has no prompt, or does without a judge');
    const { title, expectedOutput, isNegative } = planned;
    const task = { title, expectedOutput, isNegative, rubric: judgeOf(snapshot).rubric };
    return measureTrial(judge, row.id, task, signal);
  }
}
