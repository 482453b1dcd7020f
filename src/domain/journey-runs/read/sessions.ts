import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { type Criterion, sessionVerdict } from '../../../evaluation/index.ts';
import type { JourneyRunRow } from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import { pageBy } from '../../base/paging.ts';
import type { Verb } from '../../context/verb.ts';
import { criteriaOf, factsOfSession } from '../grade/session-facts.ts';
import type { StoredCriteria, StoredJudge } from '../grade/stored.ts';
import type { ShownTarget } from '../snapshot.ts';
import { targetsOf } from './present.ts';
import { findRun } from './run.ts';

type Session = OutputOf<Operations['listJourneyRunSessions']>['items'][number];

export const listJourneyRunSessions: Verb<'listJourneyRunSessions'> = async (context, input) => {
  const run = await findRun(context, input.journeyRunId);
  const rubric = criteriaOf(run);
  return pageBy(context, input, {
    scope: ['journey-run-sessions', run.id],
    placeOf: ({ position }: sessions.ShownSession) => [position] as const,
    fetch: (after: readonly [number] | undefined, most) =>
      context.db.rows(sessions.page, { runId: run.id, after: after?.[0] ?? -1, most }),
    present: (row) => presentSession(run, rubric, row),
  });
};

function presentSession(
  run: JourneyRunRow,
  rubric: readonly Criterion[],
  row: sessions.ShownSession,
): Session {
  const { hostId, targetId, modelId } = targetsOf(run)[row.target] as ShownTarget;
  const persona = run.persona as { personaId: string; name: string };
  const judge = row.judge as StoredJudge | null;
  return {
    id: row.id,
    chatSessionId: row.id,
    projectId: run.projectId,
    hostId,
    targetId,
    sessionIndex: row.sessionIndex,
    runId: run.id,
    journeyId: run.journeyId,
    personaId: persona.personaId,
    personaLabel: persona.name,
    status: row.archival,
    outcome: row.status,
    verdict: sessionVerdict(factsOfSession(run, rubric, row)),
    readiness: null,
    goalScore: judge,
    ...(rubric.length > 0 && criteriaIn(rubric, row)),
    messageCount: row.messageCount ?? 0,
    ...(row.firstMessage && { preview: row.firstMessage }),
    modelId,
    startedAt: row.startedAt,
    lastActivityAt: row.startedAt === null ? null : row.lastActivityAt,
  };
}

function criteriaIn(
  rubric: readonly Criterion[],
  { criteria, generation }: sessions.ShownSession,
): Pick<Session, 'criteria' | 'observations'> {
  const stored = criteria as StoredCriteria | null;
  const results = stored?.results ?? [];
  const status = stored?.status ?? 'pending';
  return {
    criteria: {
      status,
      generation,
      criterionIds: rubric.map(({ criterionId }) => criterionId),
      ...(status === 'completed' && { results }),
    },
    observations: rubric.map(({ criterionId, kind, role }) => {
      const result = results.find((one) => one.criterionId === criterionId);
      return { evaluatorId: criterionId, predicateType: kind, role, status: stateOf(status, result) };
    }),
  };
}

function stateOf(
  status: StoredCriteria['status'],
  result: { passed: boolean; status: 'scored' | 'error' } | undefined,
): 'passed' | 'failed' | 'pending' | 'unavailable' {
  if (status === 'pending') return 'pending';
  if (status === 'failed' || result?.status !== 'scored') return 'unavailable';
  return result.passed ? 'passed' : 'failed';
}
