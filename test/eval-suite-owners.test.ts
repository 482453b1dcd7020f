import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { authoring, EvalsWorld, prompt } from './support/eval-authoring.ts';
import { type Answer, type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;

authoring((parts) => void ({ service, database, world } = parts));

describe('a suite of another project', () => {
  test('is not there, whatever is asked', async () => {
    const suiteId = await world.suite();
    const other = await EvalsWorld.make(service);
    for (const ask of [
      () => service.get(other.at(suiteId)),
      () => other.patch(suiteId, { name: 'Mine' }),
      () => service.delete(other.at(suiteId)),
      () => service.get(other.at(suiteId, '/revisions')),
      () => service.get(other.at(suiteId, '/cases')),
      () => other.addCase(suiteId),
      () => service.post(other.at(suiteId, '/cases/batch'), { cases: [{ title: 't', steps: [prompt()] }] }),
      () => service.post(other.at(suiteId, '/cases/generate'), {}),
      () => service.patch(other.at(suiteId, '/schedule'), { enabled: false }),
      () => other.launch({ suiteId }),
      () => other.launchGroup({ suiteId, targets: [{ namedHostId: 'cli_x' }] }),
    ])
      expect(await withoutTrace(database, ask)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const theirs = await other.environment();
    const attach = () => service.post(world.at(suiteId, '/environments'), { environmentId: theirs });
    expect(await withoutTrace(database, attach)).toMatchObject({ status: 404 });
    for (const body of [
      { environmentIds: [theirs] },
      { environment: { servers: [other.server.id] } },
      { hosts: [{ host: await other.client() }] },
    ])
      expect(await withoutTrace(database, () => world.patch(suiteId, body))).toMatchObject({ status: 404 });
    expect(await world.read(suiteId)).toMatchObject({ name: 'Ships', revisionNumber: 1 });
  });
});

describe('a suite that a file owns', () => {
  const give = (suiteId: string, declaredId: string | null) =>
    database.query(`update eval_suites set managed_by = 'ci', declared_id = $2 where id = $1`, [
      suiteId,
      declaredId,
    ]);

  /** Every write operation, the deletion last; `query` is added to each path. */
  async function writes(suiteId: string, query = ''): Promise<[string, () => Promise<Answer>][]> {
    const [{ id: caseId }] = await world.cases(suiteId);
    const environmentId = await world.environment();
    const steps = [prompt('What else?')];
    const at = (rest = ''): string => `${world.at(suiteId, rest)}${query}`;
    return [
      ['edit', () => service.patch(at(), { name: 'Mine' })],
      ['attach', () => service.post(at('/environments'), { environmentId })],
      ['schedule', () => service.patch(at('/schedule'), { enabled: false })],
      ['add a case', () => service.post(at('/cases'), { title: 'new', steps })],
      ['add cases', () => service.post(at('/cases/batch'), { cases: [{ title: 'newer', steps }] })],
      ['draft cases', () => service.post(at('/cases/generate'), { caseMix: { negative: 1 } })],
      ['edit a case', () => service.patch(at(`/cases/${caseId}`), { title: 'newest' })],
      ['delete a case', () => service.delete(at(`/cases/${caseId}`))],
      ['delete', () => service.delete(at())],
    ];
  }
  const refusal = {
    status: 409,
    body: { code: 'CONFLICT', details: { reason: 'CI_OWNED_SUITE_READ_ONLY' } },
  };

  test.each(['', '?declaredSuiteId=other'])('is not written to with %j', async (query) => {
    const suiteId = await world.suite();
    await give(suiteId, 'nightly');
    for (const [what, ask] of await writes(suiteId, query))
      expect([what, await withoutTrace(database, ask)]).toMatchObject([what, refusal]);
    expect(await world.read(suiteId)).toMatchObject({ managedBy: 'ci', declaredId: 'nightly' });
  });

  test('is written to with the id that the file gives it', async () => {
    const suiteId = await world.suite();
    await give(suiteId, 'nightly');
    for (const [what, ask] of await writes(suiteId, '?declaredSuiteId=nightly'))
      expect([what, await ask()]).toMatchObject([
        what,
        { status: expect.toSatisfy((status: number) => status < 300) },
      ]);
    const second = await world.suite();
    await give(second, 'weekly');
    const inBody = { declaredSuiteId: 'weekly' };
    expect(await world.patch(second, { ...inBody, name: 'Mine' })).toMatchObject({ status: 200 });
    expect(await world.addCase(second, inBody)).toMatchObject({ status: 201 });
  });

  test('is run like any other, unless that would write cases to it', async () => {
    const suiteId = await world.suite();
    await give(suiteId, 'nightly');
    expect(await world.launch({ suiteId })).toMatchObject({ status: 202 });
    const tests = [{ title: 'New', steps: [prompt('new')] }];
    const launch = () => world.launch({ suiteId, tests });
    expect(await withoutTrace(database, launch)).toMatchObject(refusal);
    // A case that exists already is not written again.
    const same = [{ title: 'Lists the ships', steps: [prompt()] }];
    expect(await world.launch({ suiteId, tests: same })).toMatchObject({ status: 202 });
  });

  test('without an id can be deleted, and nothing else', async () => {
    const suiteId = await world.suite();
    await give(suiteId, null);
    const all = await writes(suiteId);
    for (const [what, ask] of all.slice(0, -1))
      expect([what, await withoutTrace(database, ask)]).toMatchObject([what, refusal]);
    expect(await all.at(-1)?.[1]()).toMatchObject({ status: 200, body: { deleted: true } });
  });
});
