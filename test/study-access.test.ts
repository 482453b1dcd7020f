// @module-tag long
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeMember } from '../src/domain/operator/members.ts';
import { setFeature } from '../src/domain/operator/organizations.ts';
import { executing } from './support/evals.ts';
import { newSession } from './support/people.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import { startTestService, type TestService } from './support/service.ts';
import { ok, Studies, tokenIn, Visitor } from './support/studies.ts';

let provider: ScriptedProvider;
let service: TestService;
let replica: TestService;
let studies: Studies;
let server: string;
let settings: Record<string, string>;

executing(async (parts) => {
  ({ provider, service, env: settings } = parts);
  studies = await Studies.of(service);
  server = await studies.evals.server();
});
beforeAll(async () => {
  replica = await startTestService({
    database: service.database,
    dataDir: service.running.services.config.dataDir,
    env: settings,
    worker: false,
  });
});
afterAll(() => replica?.stop());
beforeEach(() => {
  provider.script = () => ({ text: 'Three ships are in the drydock.' });
});

const modes = ['project_members', 'invited_only', 'anyone_with_link'] as const;
const lists = callThenAnswer({ name: 'list_ships', input: {} }, 'Albatross, Bittern and Cormorant.');
const of = (id: string, below = ''): string => `${studies.project}/studies/${id}${below}`;

async function fresh(body: object = { mode: 'anyone_with_link' }, config: object = {}) {
  const environmentId = await studies.environment([server], config);
  return { environmentId, ...(await studies.publish(environmentId, body)) };
}

async function guestOf(link: string, at: TestService = service): Promise<Visitor> {
  const guest = new Visitor(at);
  ok(await guest.enter(link));
  return guest;
}

describe('what is refused', () => {
  test('is told how to ask, and changes nothing', async () => {
    const { id, environmentId } = await fresh();
    const before = await studies.read(id);
    const elsewhere = await Studies.of(service, 'Elsewhere');
    const foreign = await elsewhere.environment([await elsewhere.evals.server()]);
    const put = (path: string, body: object) => service.request('PUT', of(id, path), { body });
    const refusals = [
      [await service.patch(of(id), { mode: 'invited_only', name: 'x' }), 400],
      [await service.patch(of(id), {}), 400],
      [await service.patch(of(id), { mode: 'everybody' }), 400],
      [await studies.put(`/environments/${foreign}/study`), 404],
      [await service.post(of(id, '/rebind'), { environmentId: foreign }), 404],
      [await service.get(`${elsewhere.project}/studies/${id}`), 404],
      [await put('/members', { email: 'nobody' }), 400],
      [await service.delete(of(id, '/members/nobody@example.com')), 404],
      [await put('/guest-execution', { enabled: true }), 400],
      [await service.delete(`${studies.project}/environments/${environmentId}/study?scenarioId=std_x`), 400],
    ] as const;
    for (const [answer, status] of refusals) {
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining('"message"')]);
    }
    expect(await studies.read(id)).toEqual(before);
  });

  test('a link that was replaced, one that is unpublished and one that never was are the same', async () => {
    const { id, environmentId, link } = await fresh();
    const { link: next } = ok(await service.post(of(id, '/rotate-link')));
    ok(await service.delete(`${studies.project}/environments/${environmentId}/study`));
    const texts = new Set<string>();
    for (const token of [tokenIn(link), tokenIn(next), 'never', `t.${'x'.repeat(43)}`])
      for (const [path, body] of [
        ['/study/open', { link: token }],
        ['/study/enter', { link: token }],
        ['/study/ticket', { link: token, email: 'ada@example.com' }],
      ] as const) {
        const answer = await new Visitor(service).request('POST', path, body);
        texts.add(`${answer.status} ${answer.text}`);
      }
    expect([...texts]).toEqual([expect.stringMatching(/^404 .*DEAD_LINK/)]);
  });

  test('nothing opens while the organization does not have the feature', async () => {
    const { link } = await fresh();
    const guest = await guestOf(link);
    await setFeature(service.db, { organization: undefined, feature: 'user-testing', enabled: false });
    const statuses = [
      (await guest.request('GET', '/visit')).status,
      (await guest.say('Hello?')).status,
      (await new Visitor(service).enter(link)).status,
    ];
    await setFeature(service.db, { organization: undefined, feature: 'user-testing', enabled: true });
    expect(statuses).toEqual([401, 401, 404]);
    expect((await guest.request('GET', '/visit')).status).toBe(200);
  });
});

describe('another environment', () => {
  test('keeps link, members and history, and ends conversations that were begun', async () => {
    const { id, link, accessVersion } = await fresh();
    ok(await service.request('PUT', of(id, '/members'), { body: { email: 'ada@example.com' } }));
    const guest = await guestOf(link);
    const first = (await guest.say('Hello')).last.sessionId as string;
    const environmentId = await studies.environment([server]);
    expect(ok(await service.post(of(id, '/rebind'), { environmentId }))).toMatchObject({
      id,
      environmentId,
      accessVersion,
      link,
    });
    expect((await guest.say('More', first)).last).toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'SESSION_ENDED' },
    });
    expect((await guest.say('Again')).last.type).toBe('turn.ended');
    expect((await studies.read(id, '/sessions')).items).toHaveLength(2);
    expect((await studies.read(id, '/members')).items).toHaveLength(1);
    // Now it has two, so that whoever unpublishes has to say which.
    const other = await studies.publish(await studies.environment([server]));
    ok(await service.post(of(other.id, '/rebind'), { environmentId }));
    const path = `${studies.project}/environments/${environmentId}/study`;
    expect((await service.delete(path)).body).toMatchObject({
      details: { reason: 'STUDY_REQUIRED', candidates: [{ id: other.id }, { id }] },
    });
    expect(ok(await service.delete(`${path}?scenarioId=${id}`))).toMatchObject({ deleted: true, id });
    expect((await studies.read(other.id)).published).toBe(true);
  });
});

describe('guests', () => {
  const guestExecution = (id: string, changes: object) =>
    service.request('PUT', of(id, '/guest-execution'), {
      body: {
        enabled: true,
        computerEnabled: false,
        sharedSkillsEnabled: true,
        dailyCreditCap: 500,
        dailyComputerStartCap: 0,
        maxConcurrentComputers: 0,
        ...changes,
      },
    });

  test('are bounded by what they cost in a day, all together', async () => {
    const { id, link } = await fresh();
    // One turn takes 100 tokens in and 20 out: 2,000 micro-dollars, a fifth of a credit.
    ok(await guestExecution(id, { dailyCreditCap: 0.3 }));
    const [one, two] = [await guestOf(link), await guestOf(link)];
    expect((await one.say('First')).last.type).toBe('turn.ended');
    expect((await two.say('Second')).last.type).toBe('turn.ended');
    expect((await one.say('Third')).last).toMatchObject({
      code: 'RATE_LIMITED',
      details: { reason: 'GUEST_CREDIT_CAP' },
    });
    expect(ok(await one.request('GET', '/visit'))).toMatchObject({ mayChat: false });
    // An invited visitor is not a guest.
    const { entryUrl } = ok(
      await service.request('PUT', of(id, '/members'), { body: { email: 'ada@example.com' } }),
    );
    const ada = new Visitor(service);
    ok(await ada.enter(entryUrl));
    expect((await ada.say('Hello')).last.type).toBe('turn.ended');
  });

  test('do not chat where that is switched off, or costs nothing by decree', async () => {
    const { id, link } = await fresh();
    const guest = await guestOf(link);
    const answer = ok(await guestExecution(id, { enabled: false, harnessEnabled: true }));
    expect(answer).toMatchObject({ id, enabled: false, guestExecution: { harnessEnabled: true } });
    expect((await guest.say('Hello')).last).toMatchObject({ details: { reason: 'GUESTS_DISABLED' } });
    ok(await guestExecution(id, { dailyCreditCap: 0 }));
    expect((await guest.say('Hello')).last).toMatchObject({ details: { reason: 'GUEST_CREDIT_CAP' } });
    expect(Object.keys((await studies.read(id)).guestExecution)).not.toContain('harnessEnabled');
  });

  test('hear nothing of what is behind the study when it fails', async () => {
    const dead = await studies.evals.server({ url: 'http://127.0.0.1:1/mcp' });
    const environmentId = await studies.environment([dead]);
    const { link, id } = await studies.publish(environmentId);
    const guest = await guestOf(link);
    const { last } = await guest.say('Hello');
    expect(last).toMatchObject({ type: 'turn.failed', details: { reason: 'STUDY_UNAVAILABLE' } });
    expect(JSON.stringify(last)).not.toMatch(/127\.0\.0\.1:1|server /);
    expect((await studies.read(id, '/sessions')).items).toMatchObject([
      { preview: 'Hello', messageCount: 0 },
    ]);
  });
});

describe('on two replicas', () => {
  test('a cut-off on one holds on the other at once, also in the middle of a turn', async () => {
    const { environmentId, link } = await fresh();
    const [watching, speaking] = [await guestOf(link), await guestOf(link, replica)];
    const stream = await fetch(`${replica.origin}/visit/api/visit/events`, {
      headers: { authorization: `Bearer ${watching.token}` },
    });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    provider.script = () => ({ text: 'Too late.', after: held });
    const asked = new Promise<void>((resolve) => {
      const script = provider.script;
      provider.script = (request) => {
        resolve();
        return script(request);
      };
    });
    const turn = speaking.say('Hello?');
    await asked;
    ok(await service.delete(`${studies.project}/environments/${environmentId}/study`));
    expect((await turn).last).toMatchObject({ type: 'turn.failed', details: { reason: 'ACCESS_ENDED' } });
    release();
    expect(await stream.text()).toMatch(/"type":"open".*"type":"ended"/s);
    for (const at of [service, replica]) {
      const again = new Visitor(at);
      again.token = speaking.token;
      expect((await again.request('GET', '/visit')).status).toBe(401);
    }
  });

  test('a call is allowed on the one while the other waits for it', async () => {
    provider.script = lists;
    const { link } = await fresh(undefined, { requireToolApproval: true });
    const guest = await guestOf(link);
    const elsewhere = new Visitor(replica);
    elsewhere.token = guest.token;
    const stranger = await guestOf(link);
    const { last } = await guest.say('Which ships?', undefined, async ({ type, turnId, toolCallId }) => {
      if (type !== 'tool.asks') return;
      const path = `/visit/turns/${turnId}/decisions`;
      const decision = { toolCallId, approved: true };
      expect((await stranger.request('POST', path, decision)).status).toBe(409);
      ok(await elsewhere.request('POST', path, decision));
      expect((await elsewhere.request('POST', path, { ...decision, approved: false })).status).toBe(409);
    });
    expect(last.calls).toMatchObject([{ status: 'ok' }]);
  });
});

type Step =
  | { kind: 'mode'; mode: (typeof modes)[number] }
  | { kind: 'publish' | 'unpublish' | 'rotate' | 'rebind' | 'rename' }
  | { kind: 'invite' | 'remove'; who: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('mode' as const), mode: fc.constantFrom(...modes) }),
  fc.record({ kind: fc.constantFrom('publish', 'unpublish', 'rotate', 'rebind', 'rename') }),
  fc.record({ kind: fc.constantFrom('invite', 'remove'), who: fc.nat(2) }),
);

describe('a member of the organization who was removed', () => {
  async function formerMember(mode: (typeof modes)[number]) {
    const study = await fresh({ mode });
    const { userId } = await service.member('member');
    const visitor = new Visitor(service, await newSession(service, userId));
    ok(await visitor.enter(study.link));
    expect((await visitor.request('GET', '/visit')).body).toMatchObject({ visitor: { kind: 'member' } });
    const organization = (await service.get('/organizations')).body.items[0].id as string;
    await removeMember(service.db, { organization }, userId);
    return { study, visitor };
  }

  test('visits no longer, though the project is public', async () => {
    const { visitor } = await formerMember('project_members');
    expect((await visitor.request('GET', '/visit')).status).toBe(401);
    expect((await visitor.say('Hello?')).status).toBe(401);
  });

  test('does not come in without a link that works', async () => {
    const { study, visitor } = await formerMember('anyone_with_link');
    ok(await service.post(of(study.id, '/rotate-link')));
    visitor.cookie = undefined;
    const before = visitor.token;
    expect((await visitor.enter('https://example.com/visit#nonsense', { before })).status).toBe(404);
  });
});

test('accessVersion grows with each narrowing, removal and unpublishing, and with nothing else, whoever comes first', async () => {
  const database = await service.database.connect();
  await database.query(`
    create table study_log (at bigserial, id text, access_version int, mode text, published boolean);
    create function note_study() returns trigger language plpgsql as $$ begin
      insert into study_log (id, access_version, mode, published)
        values (new.id, new.access_version, new.mode, new.published_at is not null); return new; end $$;
    create trigger note_study after insert or update on studies for each row execute function note_study()`);
  const rebound = await studies.environment([server]);
  const act = async (id: string, environmentId: string, one: Step): Promise<number> => {
    const email = 'who' in one ? `p${one.who}@example.com` : '';
    const path = `${studies.project}/environments/${environmentId}/study`;
    const call = {
      mode: () => service.patch(of(id), { mode: 'mode' in one && one.mode }),
      publish: () => service.request('PUT', path),
      unpublish: () => service.delete(path),
      rotate: () => service.post(of(id, '/rotate-link')),
      rebind: () => service.post(of(id, '/rebind'), { environmentId: rebound }),
      rename: () => service.patch(of(id), { name: 'Another name' }),
      invite: () => service.request('PUT', of(id, '/members'), { body: { email } }),
      remove: () => service.delete(of(id, `/members/${email}`)),
    }[one.kind];
    const { status } = await call();
    expect(status).toBeLessThan(500);
    return one.kind === 'remove' && status === 200 ? 1 : 0;
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }),
      async (rounds) => {
        const { id, environmentId } = await fresh();
        let removals = 0;
        for (const round of rounds)
          for (const removed of await Promise.all(round.map((one) => act(id, environmentId, one))))
            removals += removed;
        const { rows } = await database.query<{ access_version: number; mode: string; published: boolean }>(
          'select access_version, mode, published from study_log where id = $1 order by at',
          [id],
        );
        let without = 0;
        rows.slice(1).forEach((row, at) => {
          const before = rows[at] as (typeof rows)[number];
          const narrower = modes.indexOf(row.mode as never) < modes.indexOf(before.mode as never);
          const wasUnpublished = before.published && !row.published;
          const grown = row.access_version - before.access_version;
          // A mode that is given anew with publishing lets nobody in who was not in before: nobody is in.
          const narrowed = narrower && before.published && row.published;
          if (grown > 0 && !narrowed && !wasUnpublished) without += grown;
          expect(grown).toBeGreaterThanOrEqual(narrowed || wasUnpublished ? 1 : 0);
          expect(grown).toBeLessThanOrEqual(1);
        });
        expect(without).toBe(removals + narrowedUnpublished(rows));
      },
    ),
    { numRuns: 30 },
  );
  await database.end();
});

/** A mode may be narrowed while it is not published, which counts too. */
function narrowedUnpublished(
  rows: readonly { access_version: number; mode: string; published: boolean }[],
): number {
  return rows.slice(1).filter((row, at) => {
    const before = rows[at] as (typeof rows)[number];
    const narrower = modes.indexOf(row.mode as never) < modes.indexOf(before.mode as never);
    return narrower && !before.published && !row.published;
  }).length;
}
