// @module-tag long
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Services } from '../src/domain/context/context.ts';
import { revokeKey } from '../src/domain/operator/keys.ts';
import { removeMember, setMember } from '../src/domain/operator/members.ts';
import { deleteUser } from '../src/domain/operator/users.ts';
import { AccessWatch } from '../src/domain/parts/access-watch.ts';
import type { Notifications } from '../src/platform/database/notifications.ts';
import { endOthers as endSessions } from '../src/platform/database/queries/console-sessions.ts';
import { activities, type Fate, type Live } from './support/activities.ts';
import { scriptedModel, writeModelsFile } from './support/evals.ts';
import { Harbour, type Invited } from './support/harbour.ts';
import { type ScriptedProvider, startProvider } from './support/scripted-provider.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';

/** Every activity of a user, for each way to lose access. One replica removes it, the other ends it. */

let folder: string;
let provider: ScriptedProvider;
let home: TestService;
let away: TestService;
let harbour: Harbour;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-removal-'));
  provider = await startProvider();
  process.env['SCRIPTED_PROVIDER_KEY'] = 'k-scripted';
  const env = {
    DRYDOCK_MODELS_FILE: await writeModelsFile(folder, provider.url, { concurrency: 100 }),
    DRYDOCK_AGENT_MODEL: scriptedModel,
    DRYDOCK_DATABASE_POOL: '10',
  };
  home = await startTestService({ env, worker: false });
  const { dataDir } = home.running.services.config;
  away = await startTestService({ env, database: home.database, dataDir });
  harbour = await Harbour.open([home, away], provider);
});
afterAll(async () => {
  delete process.env['SCRIPTED_PROVIDER_KEY'];
  await harbour?.close();
  await away?.stop();
  await dispose(home);
  await provider?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Begun extends Live {
  name: string;
  /** The time at which it ended; undefined before. */
  endedAt: () => number | undefined;
}

async function begin(names: readonly string[], who: Invited): Promise<Begun[]> {
  const begun: Begun[] = [];
  for (const name of names) {
    const live = await activities[name]?.begin(harbour, who);
    if (!live) throw new Error(`no activity ${name}`);
    let endedAt: number | undefined;
    live.over.then(
      () => (endedAt = performance.now()),
      () => (endedAt = performance.now()),
    );
    begun.push({ ...live, name, endedAt: () => endedAt });
  }
  return begun;
}

/** Begins activities and removes the access. Returns which ones ended, and which took over two seconds. */
async function outcome(
  names: readonly string[],
  who: Invited,
  fate: Fate,
  act: (who: Invited) => Promise<unknown>,
): Promise<{ ended: string[]; late: string[] }> {
  const begun = await begin(names, who);
  const over = () => begun.filter(({ endedAt }) => endedAt() !== undefined).map(({ name }) => name);
  expect(over()).toEqual([]);
  await act(who);
  const from = performance.now();
  const limit = scaled(2_000);
  const late: string[] = [];
  const ending = begun.filter(({ name }) => activities[name]?.[fate] === 'ends');
  for (const { name, over: end, endedAt } of ending) {
    const said = activities[name]?.end;
    expect({ [name]: await end }).toMatchObject(said === undefined ? {} : { [name]: said });
    const took = (endedAt() ?? Infinity) - from;
    if (took > limit) late.push(`${name}: ${took} ms`);
  }
  const ended = over();
  for (const { afterwards } of begun) await afterwards?.(fate);
  return { ended, late };
}

/** The outcome that the table of activities predicts. */
const expected = (names: readonly string[], fate: Fate) => ({
  ended: names.filter((name) => activities[name]?.[fate] === 'ends'),
  late: [],
});

const removals: Record<string, { fate: Fate; act: (who: Invited) => Promise<unknown> }> = {
  'removed from the organization': {
    fate: 'removed',
    act: ({ userId }) => removeMember(home.db, {}, userId),
  },
  'removed from the project': {
    fate: 'removed',
    act: ({ userId }) => removeMember(home.db, { project: harbour.projectId }, userId),
  },
  'whose key is revoked': { fate: 'revoked', act: ({ keyId }) => revokeKey(home.db, keyId) },
};

test.each(Object.entries(removals))(
  'of somebody %s everything ends within two seconds, or goes on for the account or the project',
  // If the machine stalls, an activity may end by itself before the access is removed.
  { retry: 1 },
  async (_how, { fate, act }) => {
    const all = Object.keys(activities);
    expect(await outcome(all, await harbour.invite(), fate, act)).toEqual(expected(all, fate));
  },
);

const few = ['a tunnel', 'a chat turn', 'events of an eval run', 'events in the console', 'an eval run'];

test('the same when an account is deleted', async () => {
  const act = ({ userId }: Invited) => deleteUser(home.db, userId);
  const ends = await outcome(few, await harbour.invite(), 'removed', act);
  expect(ends).toEqual(expected(few, 'removed'));
});

test('the same when a public project becomes private', async () => {
  const visibility = (body: object) => home.patch(harbour.project, body);
  await visibility({ visibility: 'public' });
  const close = () => visibility({ visibility: 'private' });
  expect(await outcome(few, await home.member('member'), 'removed', close)).toEqual(expected(few, 'removed'));
});

test('a page of the console ends with its session, and what else its person does goes on', async () => {
  const who = await harbour.invite();
  const [page, tunnel] = await begin(['events in the console', 'a tunnel'], who);
  await home.db.run(endSessions, { userId: who.userId, id: null });
  await page?.over;
  expect(tunnel?.endedAt()).toBeUndefined();
  await removeMember(home.db, {}, who.userId);
  await tunnel?.over;
});

describe('one who hears', () => {
  /** The reason with which such a watch ends when its user is no longer an administrator. */
  async function reasonFrom(parts: Partial<Services>, who: Invited): Promise<unknown> {
    const watch = new AccessWatch({ ...away.running.services, ...parts });
    onTestFinished(() => watch.stop());
    const organizationId = (await home.get('/organizations')).body.items[0].id as string;
    const { projectId } = harbour;
    const watched = watch.watch({ organizationId, userId: who.userId, projectId, admin: true });
    const ended = once(watched.signal, 'abort');
    await setMember(home.db, { project: projectId }, { user: who.userId, role: 'member' });
    await ended;
    return watched.signal.reason;
  }

  const forbidden = { code: 'FORBIDDEN', details: { reason: 'ACCESS_ENDED' } };

  test('no announcement asks all the same', async () => {
    const deaf = { on: () => () => {} } as unknown as Notifications;
    expect(await reasonFrom({ notifications: deaf }, await harbour.invite())).toMatchObject(forbidden);
  });

  test('an announcement asks at once', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await reasonFrom({}, await harbour.invite())).toMatchObject(forbidden);
  });
});
