import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { Declared } from '../../contract/readiness-declared.ts';
import { Redactor } from '../../mcp/redactor.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import * as runs from '../../platform/database/queries/readiness-runs.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { timeoutSignal } from '../../platform/flow/deadline.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { asStorable, storableJson } from '../../platform/json/storable.ts';
import type { Commit } from '../../platform/leases/holder.ts';
import { checksOf, evaluate, type Finding, type Grade, grade } from '../../readiness/index.ts';
import { storeTrace } from '../artifacts/traces.ts';
import type { ProjectContext, ServerContext } from '../context/context.ts';
import { actForWhileAllowed } from '../identity/act-for.ts';
import type { ModelParts } from '../model-calls/open-model.ts';
import { type Gathered, gather } from './gather/index.ts';
import { observe } from './observe.ts';
import type { ObservationState } from './present.ts';
import { settled } from './settled.ts';

type Run = runs.ReadinessRunRow;
type Report = OutputOf<Operations['getReadinessReport']>;

export interface RunOptions {
  allowSideEffects: boolean;
  declared: Declared;
}

/** Time limit of a run in milliseconds. */
const runTimeout = 170_000;

/** Gathers evidence, grades it and writes the report. Restarts from the beginning after a crash. */
export function readinessHandler(parts: ModelParts): JobHandler {
  const { db } = parts.services;
  return {
    handle: async (payload, signal) => {
      const run = await db.row(runs.begin, payload as { runId: string });
      if (!run) return undefined;
      try {
        const { organizationId, projectId, startedBy: userId, id: requestId } = run;
        const acting = { organizationId, userId, projectId, requestId };
        // With the current permissions of the account that started it.
        return await actForWhileAllowed(
          parts.services,
          'startClaudeReadinessRun',
          acting,
          signal,
          async (context) => assess(parts, run, await onServer(context, run)),
        );
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return ended(run, error.code.toLowerCase(), error.message);
      }
    },
    givenUp: async (payload) => {
      const run = await db.row(runs.get, payload as { runId: string });
      if (!run) return async () => {};
      return ended(run, 'internal_error', 'Drydock could not finish the run. Start another one');
    },
  };
}

async function onServer(context: ProjectContext, { projectId, serverId }: Run): Promise<ServerContext> {
  const server = await context.db.row(servers.findLive, { projectId, id: serverId });
  if (!server || server.transportType !== 'http' || server.url === null)
    throw new Refusal('NOT_FOUND', 'The server was deleted, or no longer uses HTTP');
  return { ...context, server };
}

async function assess(parts: ModelParts, run: Run, context: ServerContext): Promise<Commit> {
  const cancelled = context.callerGone();
  const { allowSideEffects, declared } = run.options as RunOptions;
  const { kind, submissionMode } = run;
  const signal = AbortSignal.any([cancelled, timeoutSignal(runTimeout)]);
  const importsSkills = submissionMode === 'mcp-imported-skills';
  const gathered = await gather(context, { kind, importsSkills, allowSideEffects, declared }, signal);
  cancelled.throwIfAborted();
  const { evidence, capabilities, secrets } = gathered;
  const now = context.clock();
  const findings = await hidden(evaluate(checksOf[kind], evidence, capabilities, now), secrets);
  const released = evidence.baseline.known && evidence.baseline.value !== null;
  // Graded before the model is asked, since its observations do not count.
  const result = grade(findings, { kind, submissionMode, released });
  const observed = await observe(parts, context, run, evidence, { signal: cancelled, secrets });
  const shown = [...findings, ...observed.findings];
  const lanes = grade(shown, { kind, submissionMode, released }).lanes;
  return completed(context, run, gathered, { ...result, lanes }, shown, observed.state);
}

/** Redacts secrets, which servers may echo. */
function hidden(findings: readonly Finding[], secrets: readonly string[]): Promise<Finding[]> {
  return Promise.all(
    findings.map(async (finding) => {
      const { details, notEvaluatedReason } = finding;
      return {
        ...finding,
        ...(details && { details: await new Redactor(secrets).hide(details) }),
        ...(notEvaluatedReason !== undefined && {
          notEvaluatedReason: await new Redactor(secrets).hide(notEvaluatedReason),
        }),
      };
    }),
  );
}

async function completed(
  context: ServerContext,
  run: Run,
  { authMode, capabilities }: Gathered,
  { overallStatus, lanes, stages }: Grade,
  findings: Finding[],
  llmObservations: ObservationState,
): Promise<Commit> {
  const { id, kind, serverId, serverUrl, submissionMode, policySnapshotDate, engineVersion, sdkVersion } =
    run;
  const report: Report = {
    runId: id,
    readinessKind: kind,
    serverId,
    serverUrl,
    submissionMode,
    overallStatus,
    lanes,
    stages,
    findings,
    authMode,
    capabilities,
    allowSideEffects: (run.options as RunOptions).allowSideEffects,
    policySnapshotDate,
    engineVersion,
    sdkVersion,
    generatedAt: context.clock(),
  };
  const stored = await storeTrace(context, run, storableJson(report));
  return async (trx) => {
    if (stored?.blob) {
      await trx.run(blobRows.insert, stored.blob);
      await trx.run(blobRows.forgetGarbage, { ids: [stored.blob.id] });
    }
    const over = await trx.row(runs.settle, {
      id,
      status: 'completed',
      overallStatus,
      lanes,
      stages,
      authMode,
      capabilities,
      terminalReason: 'completed',
      errorMessage: null,
      llmObservations,
      reportBody: stored?.body ?? null,
      reportBlobId: stored?.blob?.id ?? null,
    });
    if (over) await settled(trx, over);
  };
}

/** Ends a run as failed, without a report. */
function ended(run: Run, terminalReason: string, message: string): Commit {
  const llmObservations: ObservationState = run.includeLlmObservations
    ? { status: 'not-requested', reason: 'no_evidence' }
    : { status: 'not-requested', reason: 'not_requested' };
  return async (trx) => {
    const errorMessage = asStorable(message);
    const over = await trx.row(runs.end, {
      id: run.id,
      status: 'failed',
      terminalReason,
      errorMessage,
      llmObservations,
    });
    if (over) await settled(trx, over);
  };
}
