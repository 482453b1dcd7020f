import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { key, modelId, type Service } from '../sessions/service.ts';
import { ratios, show, table } from '../support/figures.ts';
import { load } from '../support/load.ts';

const criteria = 25;
const sizes = [100, 2_000];
const rounds = 9;
const seconds = 1;

/** Reads graded runs of 100 and of 2,000 sessions in turns. */
export async function reading(service: Service, dataDir: string): Promise<void> {
  const client = new pg.Client({
    host: join(dataDir, 'postgres/run'),
    user: 'drydock',
    database: 'drydock',
  });
  await client.connect();
  const urls: string[] = [];
  try {
    for (const sessions of sizes) urls.push(await gradedRun(service, client, sessions));
  } finally {
    await client.end();
  }
  const p50: number[][] = sizes.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, url] of urls.entries())
      p50[at]?.push((await load(url, { authorization: `Bearer ${key}` }, seconds, 1)).p50);
  const [small = [], large = []] = p50;
  console.log(
    `\nReading a graded run with ${criteria} criteria (p50, one caller, ${rounds} rounds in turns)`,
  );
  console.log(
    table([
      ['', ''],
      [`${sizes[1]} sessions to ${sizes[0]}`, show(ratios(large, small), 1)],
      [
        `${sizes[0]} sessions, ms`,
        show(
          ratios(
            small,
            small.map(() => 1),
          ),
          1,
        ),
      ],
      [
        `${sizes[1]} sessions, ms`,
        show(
          ratios(
            large,
            large.map(() => 1),
          ),
          1,
        ),
      ],
    ]),
  );
}

/** A run with one session, to which copies of it are added before it is graded again. */
async function gradedRun(service: Service, client: pg.Client, sessions: number): Promise<string> {
  const { api, projectId, baseUrl } = service;
  const journeyId = await journeyWithRubric(service);
  const { id: journeyRunId } = await api.launchJourneyRun({ projectId, journeyId, body: {} });
  const isGraded = async () =>
    (await client.query('select from journey_runs where id = $1 and tally is not null', [journeyRunId]))
      .rowCount === 1;
  while (!(await isGraded())) await delay(50);
  const { waveId } = await api.getJourneyRun({ projectId, journeyRunId });
  await client.query(
    `insert into journey_sessions (id, organization_id, project_id, run_id, position, target, session_index, state, status,
       turns, started_at, finished_at, criteria, judge, facts)
     select id || n, organization_id, project_id, run_id, n, target, n, state, status,
       turns, started_at, finished_at, criteria, judge, facts
     from journey_sessions, generate_series(1, $2::integer) n where run_id = $1`,
    [journeyRunId, sessions - 1],
  );
  await client.query(
    'update journey_runs set total = $2, succeeded = $2, to_grade = $2, graded = $2, tally = null where id = $1',
    [journeyRunId, sessions],
  );
  const payload = { runId: journeyRunId, projectId, waveId };
  await client.query(
    `with job as (insert into jobs (id, kind, payload, organization_id)
       values ($1, 'observe-journey-wave', $2, '') returning kind)
     select pg_notify('drydock_jobs', kind) from job`,
    [`job_bench${sessions}`, payload],
  );
  while (!(await isGraded())) await delay(50);
  return `${baseUrl}/projects/${projectId}/journey-runs/${journeyRunId}`;
}

async function journeyWithRubric({ api, projectId, serverId }: Service): Promise<string> {
  const config = { modelId, serverIds: [serverId] };
  const host = await api.createClient({ projectId, body: { name: `read ${Date.now()}`, config } });
  const persona = await api.createPersona({ projectId, body: { name: 'Ada', role: 'harbour master' } });
  const journey = await api.createJourney({
    projectId,
    body: {
      goal: 'Find out which ships are here.',
      personaId: persona.id,
      hostIds: [host.id],
      sessionsPerTarget: 1,
      maxTurns: 2,
      judge: { enabled: false, threshold: 0.5 },
      rubric: {
        criteria: Array.from({ length: criteria }, (_, n) => ({
          id: `criterion-${n}`,
          predicate: { type: 'toolCalledAtLeastOnce' as const, toolName: `tool_${n}` },
        })),
      },
    },
  });
  return journey.id;
}
