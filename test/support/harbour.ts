import { EventEmitter, once } from 'node:events';
import type pg from 'pg';
import { expect } from 'vitest';
import { setMember } from '../../src/domain/operator/members.ts';
import { setFeature } from '../../src/domain/operator/organizations.ts';
import { type Hostile, startHostile } from '../targets/hostile.ts';
import { listen } from '../targets/listen.ts';
import { Evals, promptCase } from './evals.ts';
import { Journeys } from './journeys.ts';
import type { ScriptedProvider } from './scripted-provider.ts';
import type { TestService } from './service.ts';
import { ok, Studies } from './studies.ts';

/** A user who was invited to the project as an administrator. */
export interface Invited {
  userId: string;
  key: string;
  keyId: string;
}

/** Named events; `until` also resolves for an event of the past. */
class Happened {
  private readonly names: string[] = [];
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  tell(name: string): void {
    this.names.push(name);
    this.emitter.emit('told');
  }

  async until(part: string): Promise<void> {
    while (!this.names.some((name) => name.includes(part))) await once(this.emitter, 'told');
  }
}

/**
 * A private project in which nothing ends by itself: its model and one of its servers never answer. It runs
 * on two replicas: `home`, where access is removed, and `away`, which serves and does all work.
 */
export class Harbour {
  readonly home: TestService;
  readonly away: TestService;
  readonly evals: Evals;
  readonly journeys: Journeys;
  readonly studies: Studies;
  /** `model …` with the request, `asked PATH` and `left PATH` of the deaf server. */
  readonly happened = new Happened();
  readonly odd: Hostile;
  private readonly database: pg.Client;
  private lastQuery: Promise<unknown> = Promise.resolve();
  private readonly deaf: Awaited<ReturnType<typeof listen>>;

  private constructor(
    [home, away]: [TestService, TestService],
    evals: Evals,
    odd: Hostile,
    deaf: Harbour['deaf'],
    database: pg.Client,
  ) {
    this.home = home;
    this.away = away;
    this.evals = evals;
    this.odd = odd;
    this.deaf = deaf;
    this.database = database;
    this.journeys = Journeys.besides(evals);
    this.studies = Studies.besides(evals);
  }

  static async open(replicas: [TestService, TestService], provider: ScriptedProvider): Promise<Harbour> {
    const [home] = replicas;
    for (const feature of ['swarms', 'user-testing'])
      await setFeature(home.db, { organization: undefined, feature, enabled: true });
    const evals = await Evals.of(home, 'Closed');
    ok(await home.patch(evals.project, { visibility: 'private' }));
    const deaf = await listen(async ({ url = '' }, response) => {
      harbour.happened.tell(`asked ${url}`);
      response.once('close', () => harbour.happened.tell(`left ${url}`));
    });
    const harbour = new Harbour(replicas, evals, await startHostile(), deaf, await home.database.connect());
    provider.script = ({ body }) => {
      harbour.happened.tell(`model ${JSON.stringify(body)}`);
      return { silent: true };
    };
    return harbour;
  }

  async close(): Promise<void> {
    await this.odd.stop();
    await this.deaf.stop();
    await this.database.end();
  }

  get project(): string {
    return this.evals.project;
  }

  get projectId(): string {
    return this.project.slice('/projects/'.length);
  }

  async invite(): Promise<Invited> {
    const somebody = await this.home.member('member');
    await setMember(this.home.db, { project: this.projectId }, { user: somebody.userId, role: 'admin' });
    return somebody;
  }

  /** Resolves when a row of the database is as expected. */
  async said(sql: string, id: string, expected: object): Promise<unknown> {
    const read = async () => (await this.query(sql, [id])).rows[0];
    // oxlint-disable-next-line vitest/no-standalone-expect -- called by tests
    await expect.poll(read, { interval: 20, timeout: 60_000 }).toMatchObject(expected);
    return read();
  }

  /** Makes the waiting jobs of a kind due now. */
  async hurry(kind: string, sql?: string, id?: string): Promise<void> {
    if (sql !== undefined) await this.query(sql, [id]);
    await this.query(`update jobs set due_at = now() where kind = $1 and state = 'waiting'`, [kind]);
  }

  /** Runs queries one after the other. */
  private query(sql: string, values: unknown[]): Promise<pg.QueryResult> {
    const result = this.lastQuery.then(() => this.database.query(sql, values));
    this.lastQuery = result.catch(() => {});
    return result;
  }

  deafUrl(name: string, { userId }: Pick<Invited, 'userId'>): string {
    return `http://127.0.0.1:${this.deaf.port}/${name}/${userId}`;
  }

  async suite(marker: string): Promise<string> {
    const serverIds = [await this.evals.server()];
    return this.evals.suite({
      name: `suite ${Math.random()}`,
      serverIds,
      tests: [promptCase('Waits', `eval ${marker}`)],
    });
  }

  /** Launches an eval run whose trial waits for the model. */
  async launchEval(marker: string, key: string): Promise<string> {
    const body = { suiteId: await this.suite(marker) };
    const { runId } = ok(await this.away.post(`${this.project}/eval-runs`, body, { key }));
    await this.happened.until(`eval ${marker}`);
    return runId;
  }

  /** Launches a journey run whose session waits for the model. */
  async launchJourney(marker: string, key: string): Promise<string> {
    const { journeys } = this;
    const hostIds = [await journeys.client([await journeys.server()])];
    const journeyId = await journeys.journey({ hostIds, goal: `journey ${marker}` });
    const { id } = ok(await this.away.post(`${this.project}/journeys/${journeyId}/runs`, {}, { key }));
    await this.happened.until(`journey ${marker}`);
    return id;
  }

  /** Follows events at the other replica. `begun` resolves at the first one, `over` with all their text. */
  follow(path: string, headers: Record<string, string>): { begun: Promise<void>; over: Promise<string> } {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const read = async (): Promise<string> => {
      const response = await fetch(`${this.away.running.baseUrl}${path}`, { headers });
      const decoder = new TextDecoder();
      let text = `${response.status} `;
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true });
        if (text.includes('data: ')) begin();
      }
      return text;
    };
    return { begun, over: read() };
  }
}
