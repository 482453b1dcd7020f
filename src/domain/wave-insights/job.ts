import { type FindingStatus, journeyFindings, observe, waveInsights } from '../../evaluation/index.ts';
import * as findings from '../../platform/database/queries/findings.ts';
import * as insights from '../../platform/database/queries/insights-requests.ts';
import * as runRows from '../../platform/database/queries/journey-runs.ts';
import * as sessionRows from '../../platform/database/queries/journey-sessions.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import type { Services } from '../context.ts';
import type { ModelParts } from '../eval-runs/execute/ask-model.ts';
import { type Asked, type Counted, insightsJobOf } from '../insights/job.ts';
import { factsOfRun } from '../journey-runs/grade/session-facts.ts';
import type { CountedWave } from './content.ts';
import { findWaveInsights } from './request.ts';

/** Gathers what the sessions of a wave have in common. */
export function waveInsightsJob(parts: ModelParts): JobKind {
  return insightsJobOf(parts, {
    kind: findWaveInsights,
    insights: insights.waveInsights,
    users: 'personas',
    count: (asked) => count(parts.services, asked),
  });
}

/** The same whenever it is asked for, of the same runs. */
async function count(
  { db, clock }: Services,
  { ownerId: projectId, waveId }: Asked,
): Promise<Counted<CountedWave> | undefined> {
  const launched = await db.rows(runRows.ofWave, { projectId, waveId });
  const organizationId = launched[0]?.organizationId;
  if (organizationId === undefined) return undefined;
  const facts = [];
  for (const run of launched)
    facts.push(factsOfRun(run, await db.rows(sessionRows.listOfRun, { runId: run.id })));
  const sessions = facts.flatMap((run) => run.sessions);
  const observations = observe(sessions);
  const fingerprints = observations.map(({ fingerprint }) => fingerprint);
  const known = await db.rows(findings.journeyFindings.withFingerprints, {
    ownerId: projectId,
    fingerprints,
  });
  const statuses = new Map<string, FindingStatus>(known.map((row) => [row.fingerprint, row.status]));
  return {
    content: {
      ...waveInsights(sessions, observations, statuses),
      journeyFindings: journeyFindings(facts, clock()),
    },
    spoken: sessions.filter(({ turns }) => turns > 0).map(({ sessionId }) => sessionId),
    organizationId,
    projectId,
  };
}
