import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyseHandler } from '../src/domain/studies/analysis/analyse.ts';
import { InTransaction } from '../src/platform/database/database.ts';
import * as windows from '../src/platform/database/queries/study-windows.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { Studies } from './support/studies.ts';

/** An analysis that continues from the last one gives what an analysis from scratch gives. */

let service: TestService;
let client: pg.Client;
let studyId: string;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  const studies = await Studies.of(service);
  const environment = await studies.environment([await studies.evals.server()]);
  ({ id: studyId } = await studies.publish(environment));
  client = await service.database.connect();
});
afterAll(async () => {
  await client?.end();
  await dispose(service);
});

const minute = 60_000;
/** A Wednesday. */
const start = Date.UTC(2026, 0, 7, 12);
const never = new AbortController().signal;

/** A database with its own time. */
class Timed extends InTransaction {
  time = start;

  override one: InTransaction['one'] = async (query, ...values) =>
    query.name === windows.now.name ? ({ at: this.time } as never) : super.one(query, ...values);
}

interface Turn {
  asked: string;
  answered: boolean;
  durationMs: number;
  calls: { toolName: string; serverId: string; ok: boolean }[];
}

let made = 0;

/** A study whose visits are written directly, each at the time of `db`. */
class Visits {
  readonly id = studyId;
  readonly db = new Timed(client);
  private readonly handler: ReturnType<typeof analyseHandler>;
  sessions: string[] = [];

  private constructor(maxSessions: number) {
    this.handler = analyseHandler({ ...service.running.services, db: this.db }, { maxSessions });
  }

  /** Without any visits. */
  static async of(maxSessions = 5_000): Promise<Visits> {
    for (const table of ['study_sessions', 'study_windows', 'study_observations', 'study_findings'])
      await client.query(`delete from ${table} where study_id = $1`, [studyId]);
    await client.query(`update studies set name = 'Harbour' where id = $1`, [studyId]);
    return new Visits(maxSessions);
  }

  private write(statement: string, ...values: unknown[]): Promise<unknown> {
    return client.query(statement, [this.id, ...values]);
  }

  private get now(): string {
    return new Date(this.db.time).toISOString();
  }

  async begin(turns: Turn[]): Promise<string> {
    const session = `${this.id}c${String(++made).padStart(6, '0')}`;
    this.sessions.push(session);
    await this.write(
      `insert into study_visitors (id, study_id, kind, device_kind) values ($2 || 'v', $1, 'guest', 'desktop')`,
      session,
    );
    await this.write(
      `insert into chat_sessions (id, organization_id, project_id, visitor_id, origin, title, config, message_count, first_message)
       select $2, organization_id, project_id, $2 || 'v', 'study', 'x', '{}', 2, 'x' from studies where id = $1`,
      session,
    );
    await this.write(
      `insert into study_sessions (session_id, study_id, visitor_id, environment_id, came_back, model_id, started_at, last_activity_at)
       values ($2, $1, $2 || 'v', 'env', false, 'scripted/model', $3, $3)`,
      session,
      this.now,
    );
    for (const turn of turns) await this.say(session, turn);
    return session;
  }

  async say(session: string, { asked, answered, durationMs, calls }: Turn): Promise<void> {
    await client.query(
      `insert into study_turns (session_id, turn_id, asked, answered, duration_ms, calls, input_tokens, output_tokens, micros, at)
       values ($1, $2, $3, $4, $5, $6, 1, 1, 1, $7)`,
      [session, `t${++made}`, asked, answered, durationMs, JSON.stringify(calls), this.now],
    );
    await this.touch(session);
  }

  async rate(session: string, rating: number): Promise<void> {
    const values = [session, rating, this.now];
    await client.query('update study_sessions set rating = $2, rated_at = $3 where session_id = $1', values);
    await this.touch(session);
  }

  /** The last turn is stored differently. */
  async edit(session: string, durationMs: number): Promise<void> {
    await client.query('update study_turns set duration_ms = $2 where session_id = $1', [
      session,
      durationMs,
    ]);
    await this.touch(session);
  }

  async remove(session: string): Promise<void> {
    this.sessions = this.sessions.filter((one) => one !== session);
    await client.query('delete from study_sessions where session_id = $1', [session]);
  }

  private async touch(session: string): Promise<void> {
    await client.query('update study_sessions set last_activity_at = $2 where session_id = $1', [
      session,
      this.now,
    ]);
  }

  rename(name: string): Promise<unknown> {
    return this.write('update studies set name = $2 where id = $1', name);
  }

  async analyse(): Promise<void> {
    const commit = await this.handler.handle({ studyId: this.id, at: start }, never);
    await commit?.(this.db);
    // A session went missing from a full window: the analysis has asked to be repeated.
    const { rows } = await client.query(
      'select from study_windows where study_id = $1 and visits_basis is null',
      [this.id],
    );
    if (rows.length === 0) return;
    const again = await this.handler.handle({ studyId: this.id, at: start }, never);
    await again?.(this.db);
  }

  /** The stored results of the analysis. */
  async stored(): Promise<unknown> {
    const all = [];
    for (const statement of [
      'select sessions, signals, visits_truncated from study_windows where study_id = $1',
      'select fingerprint, fired, affected, total from study_observations where study_id = $1 order by 1',
      `select fingerprint, subject, status, occurrence_count, resolved_at is null as open from study_findings
       where study_id = $1 order by 1`,
    ])
      all.push((await client.query(statement, [this.id])).rows);
    return all;
  }

  /** The results of an analysis from scratch, which is rolled back. */
  async fromScratch(): Promise<unknown> {
    await client.query('begin');
    try {
      await this.write('delete from study_visits where study_id = $1');
      await this.write('update study_windows set visits_basis = null where study_id = $1');
      await this.analyse();
      return await this.stored();
    } finally {
      await client.query('rollback');
    }
  }
}

const turn: fc.Arbitrary<Turn> = fc.record({
  asked: fc.constantFrom('list all the ships', 'list all ships please', 'dock ship 7'),
  answered: fc.boolean(),
  durationMs: fc.constantFrom(100, 16_000),
  calls: fc.array(
    fc.record({
      toolName: fc.constantFrom('find', 'dock', 'x/y'),
      serverId: fc.constantFrom('srv_1', 'srv_2'),
      ok: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
});
const which = fc.nat(1_000);
type Step = (visits: Visits) => Promise<unknown>;
const some = (at: number, work: (visits: Visits, session: string) => Promise<unknown>): Step => {
  return async (visits) => {
    const session = visits.sessions[at % Math.max(1, visits.sessions.length)];
    if (session !== undefined) await work(visits, session);
  };
};
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(turn, { maxLength: 3 }).map(
      (turns): Step =>
        (visits) =>
          visits.begin(turns),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(which, turn).map(([at, said]) => some(at, (visits, one) => visits.say(one, said))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(which, fc.constantFrom(-1, 1))
      .map(([at, rating]) => some(at, (visits, one) => visits.rate(one, rating))),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(which, fc.constantFrom(100, 16_000))
      .map(([at, ms]) => some(at, (visits, one) => visits.edit(one, ms))),
  },
  { weight: 1, arbitrary: which.map((at) => some(at, (visits, one) => visits.remove(one))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('Harbour', 'Docks').map(
      (name): Step =>
        (visits) =>
          visits.rename(name),
    ),
  },
  { weight: 4, arbitrary: fc.constant<Step>((visits) => visits.analyse()) },
);
/** Each step and how long after the previous one it happens. */
const story = fc.array(fc.tuple(fc.constantFrom(1, 1_000, 4 * minute, 11 * minute), step), {
  minLength: 5,
  maxLength: 25,
});

test.each([5_000, 3])('over any visits, with at most %i sessions', async (maxSessions) => {
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      const visits = await Visits.of(maxSessions);
      await visits.analyse();
      for (const [after, work] of steps) {
        visits.db.time += after;
        await work(visits);
      }
      visits.db.time++;
      await visits.analyse();
      expect(await visits.stored()).toEqual(await visits.fromScratch());
    }),
    { numRuns: 40 },
  );
});

const slow: Turn = { asked: 'Which ships are here?', answered: true, durationMs: 16_000, calls: [] };

/** Number of slow sessions, as the last analysis has counted. */
async function slowIn(visits: Visits): Promise<number | undefined> {
  const [, observations] = (await visits.stored()) as [unknown, { fingerprint: string; affected: number }[]];
  return observations.find(({ fingerprint }) => fingerprint.startsWith('turn_slow:'))?.affected;
}

test('reads what is new, and everything again once the readings depend on something else', async () => {
  const visits = await Visits.of();
  const idle = await visits.begin([slow]);
  await visits.analyse();
  expect(await slowIn(visits)).toBe(1);
  visits.db.time += 30 * minute;
  await visits.analyse();

  // Stored differently without activity, which only an analysis of everything notices.
  await client.query('update study_turns set duration_ms = 1 where session_id = $1', [idle]);
  visits.db.time += minute;
  for (let at = 0; at < 2; at++) await visits.begin([slow]);
  await visits.analyse();
  expect(await slowIn(visits)).toBe(3);
  visits.db.time += minute;
  await visits.rename('Another name');
  await visits.analyse();
  expect(await slowIn(visits)).toBe(2);
  expect(JSON.stringify(await visits.stored())).toContain('Another name');
});

test('counts sessions of before the update to this version', async () => {
  const visits = await Visits.of();
  await visits.begin([slow]);
  await visits.analyse();
  // As the previous version leaves it.
  await client.query('delete from study_visits where study_id = $1', [visits.id]);
  await client.query(
    'update study_windows set visits_basis = null, visits_read_at = null where study_id = $1',
    [visits.id],
  );
  visits.db.time += 30 * minute;
  await visits.begin([slow]);
  await visits.analyse();
  expect(await slowIn(visits)).toBe(2);
});
