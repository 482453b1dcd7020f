import { afterAll, beforeAll, expect, test } from 'vitest';
import { Journeys } from './support/journeys.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let journeys: Journeys;
let other: Journeys;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  journeys = await Journeys.of(service);
  other = await Journeys.of(service);
});
afterAll(() => dispose(service));

const at = (path: string): string => `${journeys.project}${path}`;
const sizes = { sessionsPerTarget: 2, maxTurns: 4 };

test('a persona is made once for a key, edited, and held by a journey until that is archived', async () => {
  const body = { name: 'Ada Lovelace', role: 'harbour master', avatarShape: 2 };
  const make = (sent: object) =>
    service.post(at('/personas'), sent, { headers: { 'idempotency-key': 'ada' } });
  const { status, body: ada } = await make(body);
  expect(status).toBe(201);
  expect(ada).toMatchObject({
    slug: 'ada-lovelace',
    notes: null,
    source: 'manual',
    avatar: { shape: 2, palette: null },
  });
  expect((await make(body)).body).toEqual(ada);
  expect(await make({ ...body, role: 'other' })).toMatchObject({ status: 409 });
  const twin = (await service.post(at('/personas'), body)).body;
  expect(twin.slug).toMatch(/^ada-lovelace-[a-z0-9]{8}$/);
  const edited = (await service.patch(at(`/personas/${ada.id}`), { notes: 'Short sentences.' })).body;
  expect(edited).toMatchObject({ name: 'Ada Lovelace', notes: 'Short sentences.', slug: 'ada-lovelace' });
  const journeyId = await journeys.journey({ personaId: ada.id });
  expect(await service.delete(at(`/personas/${ada.id}`))).toMatchObject({
    status: 409,
    body: { details: { code: 'PERSONA_IN_USE', journeyId } },
  });
  expect((await service.delete(at(`/journeys/${journeyId}`))).body).toMatchObject({
    id: journeyId,
    archived: true,
  });
  expect((await service.delete(at(`/personas/${ada.id}`))).body).toMatchObject({ id: ada.id, deleted: true });
  expect((await service.get(at(`/personas/${ada.id}`))).status).toBe(404);
  expect((await service.get(at(`/journeys/${journeyId}`))).status).toBe(404);
});

test('a journey has its sizes changed together, clears with null, and reads alike as a goal', async () => {
  const groupId = (
    await journeys.ok(
      service.post(at('/server-groups'), { name: 'group', serverIds: [await journeys.server()] }),
    )
  ).id;
  const rubric = { criteria: [{ id: 'ends', predicate: { type: 'finalAssistantMessageNonEmpty' } }] };
  const id = await journeys.journey({ ...sizes, serverAttachmentId: groupId, rubric, goal: 'One.\nTwo.' });
  const path = at(`/journeys/${id}`);
  expect((await service.get(path)).body).toMatchObject({
    name: 'One.',
    environmentIds: [],
    serverAttachmentId: groupId,
    ...sizes,
    rubric,
    judge: { enabled: true, threshold: 0.7 },
    passThreshold: 0.8,
  });
  for (const alone of [{ maxTurns: 5 }, { sessionsPerTarget: 5 }, {}])
    expect((await service.patch(path, alone)).status).toBe(400);
  const changed = await service.patch(path, {
    sessionsPerTarget: 3,
    maxTurns: 5,
    serverAttachmentId: null,
    rubric: null,
  });
  expect(changed.body).toMatchObject({ sessionsPerTarget: 3, maxTurns: 5, rubric: null });
  expect(changed.body).not.toHaveProperty('serverAttachmentId');
  const goal = (await service.get(at(`/goals/${id}`))).body;
  const { sessionsPerTarget, ...rest } = changed.body;
  expect(goal).toEqual({ ...rest, iterations: sessionsPerTarget });
  expect((await service.patch(at(`/goals/${id}`), { iterations: 4 })).body.message).toMatch(/maxTurns/);
  expect((await service.patch(at(`/goals/${id}`), { iterations: 4, maxTurns: 6 })).body.iterations).toBe(4);
  expect((await service.patch(at(`/goals/${id}`), { sessionsPerTarget: 4, maxTurns: 6 })).status).toBe(400);
  const { items } = (await service.get(at('/goals?limit=1'))).body;
  expect(items).toEqual([expect.objectContaining({ id, iterations: 4 })]);
});

test('what a journey or a swarm names has to be in its project', async () => {
  const personaId = await journeys.persona();
  const theirs = {
    personaId: await other.persona(),
    swarmId: (
      await journeys.ok(service.post(`${other.project}/swarms`, { name: 's', iterations: 1, maxTurns: 1 }))
    ).id,
    hostIds: [await other.client([])],
  };
  for (const [field, value] of Object.entries(theirs)) {
    const sent = { goal: 'x', personaId, ...sizes, [field]: value };
    const refused = await service.post(at('/journeys'), sent);
    expect(refused).toMatchObject({ status: 404, body: { details: { field } } });
  }
  const swarm = { name: 's', iterations: 1, maxTurns: 1, environmentIds: ['env_unknown'] };
  expect(await service.post(at('/swarms'), swarm)).toMatchObject({
    status: 404,
    body: { details: { field: 'environmentIds' } },
  });
});

test('a client tells how many journeys run with it', async () => {
  const client = await journeys.client([]);
  await journeys.journey({ hostIds: [client] });
  const { impact } = (await service.get(at(`/clients/${client}`))).body;
  expect(impact).toMatchObject({ activeLegacyJourneyCount: 1, liveEnvironmentCount: 0 });
});

test('a swarm says how many in one of two words, and answers in both', async () => {
  const make = (fields: object) => service.post(at('/swarms'), { name: 'Harbour', maxTurns: 4, ...fields });
  for (const size of [{}, { iterations: 2, sessionsPerTarget: 2 }, { iterations: 101 }])
    expect((await make(size)).status).toBe(400);
  const first = (await make({ sessionsPerTarget: 2 })).body;
  expect(first).toMatchObject({ iterations: 2, sessionsPerTarget: 2, description: null, environmentIds: [] });
  const path = at(`/swarms/${first.id}`);
  expect((await service.patch(path, { iterations: 3 })).status).toBe(400);
  const changed = await service.patch(path, { iterations: 3, maxTurns: 9, description: 'Night.' });
  expect(changed.body).toMatchObject({
    iterations: 3,
    sessionsPerTarget: 3,
    maxTurns: 9,
    description: 'Night.',
  });
  expect((await service.delete(path)).body).toEqual({
    id: first.id,
    projectId: journeys.projectId,
    archived: true,
  });
  expect((await service.delete(path)).status).toBe(200);
  expect((await service.get(path)).status).toBe(404);
});

test('a rubric has at most 25 criteria, each with its own id and a check that can be made', async () => {
  const criterion = (nth: number) => ({ id: `c${nth}`, predicate: { type: 'noToolErrors' } });
  const make = async (criteria: object[]) => {
    const body = { goal: 'x', personaId: await journeys.persona(), ...sizes, rubric: { criteria } };
    return service.post(at('/journeys'), body);
  };
  expect((await make(Array.from({ length: 25 }, (_, nth) => criterion(nth)))).status).toBe(201);
  expect((await make(Array.from({ length: 26 }, (_, nth) => criterion(nth)))).status).toBe(400);
  expect((await make([criterion(1), criterion(1)])).body.message).toMatch(/must not repeat an ID/i);
  const broken = { id: 'c', predicate: { type: 'responseMatches', pattern: '(' } };
  expect((await make([broken])).body.message).toMatch(/^rubric\.criteria\.0\.predicate/);
});
