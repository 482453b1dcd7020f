import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { ReadinessRunRow } from '../../platform/database/queries/readiness-runs.ts';

type ReadinessRun = OutputOf<Operations['getReadinessRun']>;
export type ObservationState = ReadinessRun['llmObservations'];

export function presentRun(row: ReadinessRunRow): ReadinessRun {
  const { kind, hasReport, id, projectId } = row;
  return {
    id,
    readinessKind: kind,
    serverId: row.serverId,
    serverUrl: row.serverUrl,
    submissionMode: row.submissionMode,
    status: row.status,
    overallStatus: row.overallStatus,
    lanes: row.lanes as ReadinessRun['lanes'],
    stages: row.stages as ReadinessRun['stages'],
    authMode: row.authMode,
    capabilities: row.capabilities,
    attemptCount: row.attemptCount,
    terminalReason: row.terminalReason,
    errorMessage: row.errorMessage,
    policySnapshotDate: row.policySnapshotDate,
    engineVersion: row.engineVersion,
    sdkVersion: row.sdkVersion,
    includeLlmObservations: row.includeLlmObservations,
    llmObservations: row.llmObservations as ObservationState,
    hasReport,
    reportUrl: hasReport ? `/api/v1/projects/${projectId}/readiness-runs/${id}/report` : null,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
