import type { getEvalSuite, listEvalSuites } from '../../contract/eval-suites.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import type { ListedSuite } from '../../platform/database/queries/eval-suites.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { shownCheck, type Vocabulary } from './cases/vocabulary.ts';
import type { SuiteSettings } from './settings.ts';
import type { Suite } from './suite.ts';

type Detail = OutputOf<typeof getEvalSuite>;

/** Uses the current names of servers and clients; deleted ones are shown by ID. */
export async function presentSuite(db: Db, suite: Suite, vocabulary: Vocabulary): Promise<Detail> {
  const { projectId, execution } = suite;
  const serverIds = [...suite.serverIds, ...suite.hosts.flatMap((host) => host.servers ?? [])];
  const named = serverIds.length === 0 ? [] : await db.rows(servers.named, { projectId, ids: serverIds });
  const nameOf = (id: string): string => named.find((server) => server.id === id)?.name ?? id;
  const hosts: Detail['hosts'] = [];
  for (const { id, servers: own } of suite.hosts) {
    const client = await db.row(clients.find, { projectId, id });
    hosts.push({ id, name: client?.name ?? id, ...(own && { servers: own.map(nameOf) }) });
  }
  return {
    id: suite.id,
    ...(suite.declaredId !== null && { declaredId: suite.declaredId }),
    managedBy: suite.managedBy,
    ...(suite.sourceHash !== null && { sourceHash: suite.sourceHash }),
    name: suite.name,
    description: suite.description,
    projectId,
    environment: { servers: suite.serverIds.map(nameOf), computerEnvironment: null },
    executionConfig: execution && { ...execution },
    hosts,
    environmentIds: suite.environmentIds,
    settings: presentSettings(suite.settings, vocabulary),
    schedule: presentSchedule(suite),
    revisionNumber: suite.revision,
    createdAt: suite.createdAt,
    updatedAt: suite.updatedAt,
  };
}

function presentSettings(settings: SuiteSettings, vocabulary: Vocabulary): Detail['settings'] {
  const { policy, repetitions, passThreshold, validity, judge, matchOptions } = settings;
  const checks = settings.checks.map((check) => shownCheck(check, vocabulary));
  return {
    minimumAccuracy: settings.minimumPassRate ?? null,
    minimumIterations: settings.minimumIterations ?? null,
    matchOptions: matchOptions ? { ...matchOptions } : null,
    ...(vocabulary === '2' ? { defaultAssertions: checks } : { checks }),
    judge: { ...judge },
    qualityGate: settings.qualityGate ?? null,
    policy: policy === 2 ? 'v2' : 'legacy',
    ...(policy === 2 && {
      verdictPolicyVersion: 2 as const,
      verdictPolicyDefaults: {
        ...(vocabulary === '2' ? { iterations: repetitions ?? 1 } : { repetitions: repetitions ?? 1 }),
        passThreshold: passThreshold ?? 1,
        ...(validity && { validity: { ...validity } }),
      },
    }),
  };
}

function presentSchedule(suite: Pick<Suite, keyof ListedSuite & keyof Suite>): Detail['schedule'] {
  return {
    enabled: suite.scheduleEnabled,
    intervalMinutes: suite.scheduleMinutes,
    environmentId: suite.scheduleEnvironmentId,
    state: suite.scheduleState,
    createdBy: suite.scheduleBy,
    nextDueAt: suite.scheduleDueAt,
    consecutiveFailures: suite.scheduleFailures,
  };
}

export function presentListed(
  projectId: string,
  row: ListedSuite,
): OutputOf<typeof listEvalSuites>['items'][number] {
  const { latestId: id, latestStatus: status, latestPassed: passed, latestFailed: failed } = row;
  const latest =
    id === null || status === null || passed === null || failed === null || row.latestCreatedAt === null
      ? null
      : {
          id,
          status,
          result: row.latestResult,
          // Only completed runs have a rate.
          passRate: status !== 'completed' || passed + failed === 0 ? null : passed / (passed + failed),
          passed,
          failed,
          createdAt: row.latestCreatedAt,
          ...(row.latestWarnings && { warnings: row.latestWarnings }),
        };
  return {
    id: row.id,
    name: row.name,
    projectId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    latestRun: latest,
    totals: { passed: row.passedTotal, failed: row.failedTotal, runs: row.runs },
    passRateTrend: row.trend.toReversed(),
    caseCount: row.cases,
    schedule: presentSchedule(row),
  };
}
