import { analyseHandler } from '../../src/domain/studies/analysis/analyse.ts';
import { startPostgres } from '../../test/support/cluster.ts';
import { Evals } from '../../test/support/evals.ts';
import { dispose, startTestService, type TestService } from '../../test/support/service.ts';
import { figure, show, table } from '../support/figures.ts';

const sizes = [250, 1_000, 4_000] as const;
const turnsEach = 4;
const rounds = 5;
/** Sessions that go on between two analyses. */
const newOnes = 20;

/** All sessions are idle. */
const ago = `now() - interval '11 minutes'`;

/** How long the analysis of a week and the reads of a study take with more sessions, for each session. */
export async function compareAnalyses(): Promise<void> {
  const service = await startTestService({ database: await startPostgres(), worker: false });
  try {
    const { project } = await Evals.of(service, 'Bench');
    const studies: { id: string; sessions: number }[] = [];
    for (const sessions of sizes) studies.push({ id: await filled(service, project, sessions), sessions });
    const never = new AbortController().signal;
    const job = analyseHandler(service.running.services);
    const analyse = (id: string) =>
      service.db.transaction(async (db) => {
        const commit = await job.handle({ studyId: id, at: Date.now() }, never);
        await commit?.(db);
      });
    const parts: Record<string, (id: string) => Promise<void>> = {
      'first analysis of a week': analyse,
      [`analysis after ${newOnes} sessions went on`]: analyse,
      metrics: async (id: string) => void (await service.get(`${project}/studies/${id}/metrics`)),
      usage: async (id: string) => void (await service.get(`${project}/studies/${id}/usage`)),
      'first page of sessions': async (id: string) =>
        void (await service.get(`${project}/studies/${id}/sessions`)),
    };
    const times = new Map(
      Object.keys(parts).map((name): [string, number[][]] => [name, sizes.map(() => [])]),
    );
    const before: Record<string, (service: TestService, id: string) => Promise<void>> = {
      'first analysis of a week': reset,
      [`analysis after ${newOnes} sessions went on`]: goOn,
    };
    const measure = async (name: string, work: (id: string) => Promise<void>): Promise<void> => {
      for (const [at, { id }] of studies.entries()) {
        await before[name]?.(service, id);
        const began = performance.now();
        await work(id);
        times.get(name)?.[at]?.push(performance.now() - began);
      }
    };
    for (let round = 0; round <= rounds; round++)
      for (const [name, work] of Object.entries(parts)) await measure(name, work);
    // The first round warms up.
    for (const all of times.values()) for (const one of all) one.shift();
    console.log(
      `\nStudies of ${sizes.join(', ')} sessions with ${turnsEach} turns each; times beside those of the smallest, ${rounds} rounds in turns`,
    );
    console.log(
      table([
        ['', ...sizes.slice(1).map((size) => `${size / sizes[0]} times the sessions`)],
        ...[...times].map(([name, all]) => [
          name,
          ...all
            .slice(1)
            .map((mine) => show(figure(mine.map((ms, round) => ms / (all[0]?.[round] as number))))),
        ]),
      ]),
    );
  } finally {
    await dispose(service);
  }
}

async function filled(service: TestService, project: string, sessions: number): Promise<string> {
  const { body: saved } = await service.post(`${project}/servers`, {
    name: `server ${sessions}`,
    url: await service.demoUrl(),
  });
  const { body: client } = await service.post(`${project}/clients`, {
    name: `client ${sessions}`,
    config: { modelId: 'drydock/rehearsal', serverIds: [saved.id] },
  });
  const { body: environment } = await service.post(`${project}/environments`, {
    name: `environment ${sessions}`,
    hostId: client.id,
  });
  const path = `${project}/environments/${environment.id}/study`;
  const { body: study } = await service.request('PUT', path, { body: { mode: 'anyone_with_link' } });
  const database = await service.database.connect();
  const id = study.id as string;
  for (const statement of [
    `insert into study_visitors (id, study_id, kind, device_kind) select $1 || 'v' || n, $1, 'guest', 'desktop'
     from generate_series(1, $2::int) n`,
    `insert into chat_sessions (id, organization_id, project_id, visitor_id, origin, title, config, message_count, first_message)
     select s.id || 'c' || n, s.organization_id, s.project_id, s.id || 'v' || n, 'study', 'x', '{}', 8, 'Which ships are there?'
     from studies s, generate_series(1, $2::int) n where s.id = $1`,
    `insert into study_sessions (session_id, study_id, visitor_id, environment_id, came_back, model_id, rating, rated_at, last_activity_at)
     select $1 || 'c' || n, $1, $1 || 'v' || n, 'env', false, 'scripted/model', case n % 7 when 0 then -1 when 1 then 1 end, ${ago}, ${ago}
     from generate_series(1, $2::int) n`,
    `insert into study_turns (session_id, turn_id, asked, answered, duration_ms, calls, input_tokens, output_tokens, micros, at)
     select $1 || 'c' || n, 't' || m, 'Which ships of the harbour are number ' || m || '?', true, 1000,
       '[{"toolName":"list_ships","serverId":"srv","ok":true}]', 100, 20, 2000, ${ago}
     from generate_series(1, $2::int) n, generate_series(1, ${turnsEach}) m`,
  ])
    await database.query(statement, [id, sessions]);
  await database.query('analyze');
  await database.end();
  return id;
}

/** Makes the next analysis the first one. */
async function reset(service: TestService, id: string): Promise<void> {
  const database = await service.database.connect();
  await database.query(`delete from study_windows where study_id = $1`, [id]);
  await database.end();
}

/** Another message in some sessions. */
async function goOn(service: TestService, id: string): Promise<void> {
  const database = await service.database.connect();
  for (const statement of [
    `insert into study_turns (session_id, turn_id, asked, answered, duration_ms, calls, input_tokens, output_tokens, micros)
     select $1 || 'c' || n, gen_random_uuid(), 'Which ships are next?', true, 1000, '[]', 100, 20, 2000
     from generate_series(1, ${newOnes}) n`,
    `update study_sessions s set last_activity_at = now() from generate_series(1, ${newOnes}) n
     where s.session_id = $1 || 'c' || n`,
  ])
    await database.query(statement, [id]);
  // Windows that are read as a whole rest between analyses.
  await database.query(
    `update study_windows set analysed_at = analysed_at - interval '2 minutes' where study_id = $1`,
    [id],
  );
  await database.end();
}
