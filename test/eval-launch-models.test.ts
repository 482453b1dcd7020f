import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { authoring, type EvalsWorld, prompt } from './support/eval-authoring.ts';
import { type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;

authoring((parts) => void ({ service, database, world } = parts), { models: true });

const variantsOf = async (runId: string): Promise<string[][]> =>
  (await service.get(`${world.project}/eval-runs/${runId}/iterations`)).body.items.map(
    ({ model, provider }: { model: string; provider: string }) => [model, provider],
  );
const readRun = async (runId: string) => (await service.get(`${world.project}/eval-runs/${runId}`)).body;
const refuses = async (body: object, expected: object) =>
  expect([body, await withoutTrace(database, () => world.launch(body))]).toMatchObject([body, expected]);

describe('the model of a run', () => {
  test('is that of the request, of the environment, of the client, of the case or of the suite, in this order', async () => {
    const suiteId = await world.suite({
      model: 'local/other',
      tests: [
        { title: 'A', steps: [prompt('a')] },
        { title: 'B', steps: [prompt('b')], model: 'local/priced' },
      ],
    });
    const bySuite = await world.run({ suiteId });
    expect(await variantsOf(bySuite)).toEqual([
      ['local/other', 'local'],
      ['local/priced', 'local'],
    ]);
    expect(await readRun(bySuite)).toMatchObject({ modelSource: 'case' });
    const asked = await world.run({ suiteId, model: 'drydock/rehearsal' });
    expect(await variantsOf(asked)).toEqual(Array(2).fill(['drydock/rehearsal', 'drydock']));
    expect(await readRun(asked)).toMatchObject({
      modelSource: 'override',
      effectiveModelId: 'drydock/rehearsal',
    });
    const environmentId = await world.environment({
      hostId: await world.client({ modelId: 'local/priced' }),
    });
    await world.patch(suiteId, { environmentIds: [environmentId] });
    const there = await world.run({ suiteId });
    expect(await variantsOf(there)).toEqual(Array(2).fill(['local/priced', 'local']));
    expect(await readRun(there)).toMatchObject({
      modelSource: 'client_default',
      effectiveModelId: 'local/priced',
    });
    expect(await variantsOf(await world.run({ suiteId, model: 'local/other' }))).toEqual(
      Array(2).fill(['local/other', 'local']),
    );
  });

  test('is none for a case that only calls tools', async () => {
    const call = { id: '1', kind: 'toolCall', serverName: 'harbour', toolName: 'list_ships', arguments: {} };
    const suiteId = await world.suite({ model: 'nobody/knows', tests: [{ title: 'Calls', steps: [call] }] });
    expect(await variantsOf(await world.run({ suiteId }))).toEqual([['widget-probe', 'none']]);
  });

  test('that cannot be used is refused with those that can', async () => {
    const suiteId = await world.suite();
    const hosted = ['drydock/rehearsal', 'local/priced', 'local/other'];
    for (const [choice, provider, hostedModels] of [
      [{ model: 'nobody/knows' }, 'nobody', hosted],
      [{ model: 'local/unknown' }, 'local', ['local/priced', 'local/other']],
      [{ model: 'rehearsal' }, null, hosted],
      [{ model: 'gpt-anything', provider: 'openai' }, 'openai', []],
      [{ model: 'constructor/__proto__' }, 'constructor', hosted],
      [{ model: 'openai/white space' }, 'openai', []],
    ] as const)
      await refuses(
        { suiteId, ...choice },
        {
          status: 400,
          body: {
            code: 'VALIDATION_ERROR',
            message: expect.stringMatching(/^model: /),
            details: { model: choice.model, provider, hostedModels },
          },
        },
      );
    await world.patch(suiteId, { executionConfig: { model: 'nobody/knows' } });
    await refuses({ suiteId }, { status: 400, body: { details: { model: 'nobody/knows' } } });
    await refuses(
      {
        suiteName: 'New',
        serverIds: ['harbour'],
        tests: [{ title: 'A', steps: [prompt()], model: 'nobody/knows' }],
      },
      { status: 400, body: { details: { model: 'nobody/knows' } } },
    );
  });
});

describe('keys that are brought', () => {
  const secret = 'sk-own-tell-nobody-0123456789';

  /** Every row of every table, as text. */
  async function everything(): Promise<string> {
    const { rows } = await database.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    let all = '';
    for (const { name } of rows) {
      const lines = await database.query<{ text: string }>(`select t::text as text from ${name} t`);
      all += lines.rows.map(({ text }) => text).join('\n');
    }
    return all;
  }
  const sealed = async () => (await database.query('select from sealed_values')).rowCount ?? 0;

  test('make models of the provider usable, are stored sealed, and are gone when the run is over', async () => {
    const suiteId = await world.suite();
    const before = await sealed();
    const answer = await world.launch({
      suiteId,
      model: 'gpt-anything',
      provider: 'openai',
      modelApiKeys: { openai: secret },
      idempotencyKey: 'with a key',
    });
    expect(answer.status).toBe(202);
    const { runId } = answer.body;
    expect(await variantsOf(runId)).toEqual([['openai/gpt-anything', 'openai']]);
    expect(await sealed()).toBe(before + 1);
    for (const text of [
      answer.text,
      JSON.stringify(await readRun(runId)),
      service.logs.join('\n'),
      await everything(),
    ]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    }
    expect(await world.cancel(runId)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect(await sealed()).toBe(before);
    const left = await database.query('select from eval_runs where sealed_id is not null');
    expect(left.rowCount).toBe(0);
  });

  test('that no provider would take are refused without being repeated', async () => {
    const suiteId = await world.suite();
    for (const [keys, choice] of [
      [{ openai: `${secret}\n` }, { model: 'gpt-x', provider: 'openai' }],
      [{ elsewhere: secret }, { model: 'elsewhere/m' }],
      [{ openai: '' }, { model: 'gpt-x', provider: 'openai' }],
      [{ openai: secret.repeat(100) }, { model: 'gpt-x', provider: 'openai' }],
      [{ openai: [secret] }, { model: 'gpt-x', provider: 'openai' }],
    ] as const) {
      const ask = () => world.launch({ suiteId, ...choice, modelApiKeys: keys });
      const { status, text } = await withoutTrace(database, ask);
      expect(status).toBe(400);
      expect(text).not.toContain('tell-nobody');
    }
    expect(service.logs.join('\n')).not.toContain('tell-nobody');
  });
});

describe('a case that cannot be run', () => {
  test('is named, with the reason, and nothing is written', async () => {
    const steps = [{ id: 's1', kind: 'toolCall', serverName: 'elsewhere', toolName: 't', arguments: {} }];
    const suiteId = await world.suite({ tests: [{ title: 'Fine', steps: [prompt()] }] });
    const { id: caseId } = (await world.addCase(suiteId, { title: 'Calls elsewhere', steps })).body;
    const imported = async (status: string) =>
      (await world.addCase(suiteId, { title: status, import: { status } })).body.id as string;
    const unsupported = await imported('unsupported');
    const approximated = await imported('approximated');
    await refuses(
      { suiteId },
      {
        status: 400,
        body: {
          message: expect.stringMatching(/"Calls elsewhere" cannot run: .*"elsewhere".*and 2 more/),
          details: {
            reason: 'UNRUNNABLE_CASES',
            unrunnableCases: [
              { caseId, title: 'Calls elsewhere', reason: expect.stringContaining('s1') },
              { caseId: unsupported, reason: expect.stringContaining('unsupported') },
              { caseId: approximated, reason: expect.stringContaining('importApprovals') },
            ],
          },
        },
      },
    );
    const approved = { suiteId, caseIds: [approximated] };
    const importApprovals = [{ testCaseId: approximated, reason: 'Close enough' }];
    expect(await world.launch({ ...approved, importApprovals })).toMatchObject({ status: 202 });
    await refuses(approved, { status: 400 });
  });

  test('is one without a model, and a suite without cases is no run', async () => {
    const tests = [{ title: 'A', steps: [prompt()], model: 'drydock/rehearsal' }];
    const { suiteId } = (await world.launch({ suiteName: 'N', serverIds: ['harbour'], tests })).body;
    const { id } = (await world.addCase(suiteId, { title: 'No model' })).body;
    await refuses({ suiteId }, { status: 400, body: { details: { unrunnableCases: [{ caseId: id }] } } });
    for (const one of await world.cases(suiteId)) await service.delete(world.at(suiteId, `/cases/${one.id}`));
    const empty = await withoutTrace(database, () => world.launch({ suiteId }));
    expect(empty).toMatchObject({ status: 400, body: { details: { reason: 'NO_CASES' } } });
  });
});

test('cases that are too large together with the checks of their suite are refused', async () => {
  const suiteId = await world.suite();
  const reference = 'x'.repeat(20_000);
  const checks = Array(50).fill({ type: 'responseCloseTo', reference, maxDistance: 0.1 });
  expect(await world.settings(suiteId, { checks })).toMatchObject({ status: 200 });
  const cases = Array.from({ length: 40 }, (_, n) => ({ title: `c${n}`, steps: [prompt()] }));
  await service.post(world.at(suiteId, '/cases/batch'), { cases });
  await refuses({ suiteId }, { status: 400, body: { details: { reason: 'RUN_TOO_LARGE' } } });
  const [one] = await world.cases(suiteId);
  expect(await world.launch({ suiteId, caseIds: [one.id] })).toMatchObject({ status: 202 });
});
