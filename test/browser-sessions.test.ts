// @module-tag long
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserTests, onlyHere } from './support/browser-sessions.ts';
import type { Answer } from './support/service.ts';
import { startForTest, startTestService } from './support/service.ts';
import { textOf } from './support/snapshot.ts';

const t = browserTests({ env: { ...onlyHere.env, DRYDOCK_BROWSER_SESSIONS: '3' } });
let database: pg.Client;

beforeAll(async () => {
  database = await t.service.database.connect();
});
afterAll(() => database?.end());
beforeEach(async () => {
  t.ahead = 0;
  for (const { sessionId } of await sessions()) await close(sessionId);
});

const ask = (verb: string, body: object, key = t.service.key): Promise<Answer> =>
  t.service.post(`/browser-sessions/${verb}`, { projectId: t.projectId, ...body }, { key });
const everything = { mode: 'allow_all' };
const open = async (fields: object = {}) => (await ask('session', { policy: everything, ...fields })).body;
const command = (sessionId: string, sent: object, more: object = {}) =>
  ask('command', { sessionId, command: sent, ...more });
const show = (sessionId: string, path: string, more: object = {}) =>
  command(sessionId, { op: 'navigate', url: t.harbour.url(path) }, more);
const close = (sessionId: string) => ask('close', { sessionId });
const trace = async (sessionId: string, more: object = {}) =>
  (await ask('trace', { sessionId, ...more })).body.entries;
const sessions = async () => (await ask('sessions', {})).body.sessions;
const stateOf = async (wanted: string): Promise<string> =>
  (await sessions()).find(({ sessionId }: { sessionId: string }) => sessionId === wanted).state;

describe(`browsers of programs`, { tags: ['chromium'] }, () => {
  test('a browser is found again by its run key, does what it is told, and tells it afterwards', async () => {
    const first = await open({ runKey: 'harvest' });
    expect(first).toMatchObject({
      state: 'active',
      engine: 'chromium',
      runKey: 'harvest',
      bootId: expect.stringMatching(/^boot_/),
      effectivePolicy: { tools: null, origins: null },
    });
    const { sessionId } = first;
    expect(await open({ runKey: 'harvest' })).toMatchObject({ sessionId, bootId: first.bootId });
    expect(await ask('session', { policy: { mode: 'read_only' }, runKey: 'harvest' })).toMatchObject({
      status: 409,
      body: { details: { reason: 'BROWSER_POLICY_CONFLICT', policy: everything } },
    });
    expect((await show(sessionId, '/form')).body).toMatchObject({ result: 'executed', title: 'Ships' });
    const typed = { op: 'act', verb: 'type', target: { selector: '#name' }, value: 'tell-nobody-what' };
    expect((await command(sessionId, typed, { commandId: 'typed' })).body.result).toBe('executed');
    expect((await ask('note', { sessionId, text: 'Filled in.', commandId: 'n1' })).status).toBe(200);
    expect((await ask('note', { sessionId, text: 'Filled in.', commandId: 'n1' })).body.replay).toBe(true);
    expect((await ask('note', { sessionId, text: 'Otherwise.', commandId: 'n1' })).status).toBe(409);
    const entries = await trace(sessionId);
    expect(entries.map(({ kind }: { kind: string }) => kind)).toEqual([
      'event',
      'command',
      'command',
      'note',
    ]);
    expect(entries[2]).toMatchObject({
      commandId: 'typed',
      result: 'executed',
      command: { op: 'act', verb: 'type', valueLength: 16 },
    });
    expect(await trace(sessionId, { afterSeq: entries[1].seq, limit: 1 })).toEqual([entries[2]]);
    expect(await textOf(database)).not.toContain('tell-nobody-what');
    expect((await close(sessionId)).body).toMatchObject({ state: 'closed' });
    expect((await show(sessionId, '/form')).body.details.reason).toBe('BROWSER_CLOSED');
    expect((await ask('session', { policy: everything, runKey: 'harvest' })).status).toBe(409);
    expect(await open()).not.toMatchObject({ sessionId });
  });

  test('a picture is behind an address that works for a while, and in the answer about it', async () => {
    const { sessionId } = await open();
    await show(sessionId, '/form');
    const look = { op: 'observe', mode: 'screenshot' };
    const { screenshot, observation } = (await command(sessionId, look, { commandId: 'look' })).body;
    expect(observation).toEqual({ mode: 'screenshot', width: 1280, height: 720 });
    const shown = await fetch(screenshot.url);
    expect(shown.status).toBe(200);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'cache-control': expect.stringContaining('no-store'),
    });
    const png = Buffer.from(await shown.arrayBuffer());
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png).toHaveLength(screenshot.bytes);
    expect((await ask('artifact', { sessionId, artifactId: 'look' })).body.screenshot).toBe(
      png.toString('base64'),
    );
    expect((await ask('artifact', { sessionId, artifactId: 'none' })).body.screenshot).toBeNull();
    expect(JSON.stringify(await trace(sessionId))).not.toContain(png.toString('base64').slice(0, 40));
    const forged = screenshot.url.slice(0, -1) + (screenshot.url.endsWith('A') ? 'B' : 'A');
    expect((await fetch(forged)).status).toBe(404);
    t.ahead = 60 * 60_000;
    expect((await fetch(screenshot.url)).status).toBe(404);
    t.ahead = 0;
    expect((await fetch(screenshot.url)).status).toBe(200);
    await close(sessionId);
    await database.query('delete from browser_sessions where id = $1', [sessionId]);
    expect((await fetch(screenshot.url)).status).toBe(404);
    const { rows } = await database.query('select count(*)::int as n from blob_garbage');
    expect(rows[0].n).toBe(1);
  });

  test('a command that a hundred send at once is carried out once, and its id means nothing else', async () => {
    const { sessionId } = await open();
    await show(sessionId, '/form');
    const save = { op: 'act', verb: 'click', target: { selector: '#save' } };
    const before = t.harbour.asked('/saved');
    const sent = await Promise.all(
      Array.from({ length: 100 }, () => command(sessionId, save, { commandId: 'save' })),
    );
    const first = sent.filter(({ body }) => body.result === 'executed' && !body.replay);
    expect(first).toHaveLength(1);
    expect(sent.every(({ body }) => ['executed', 'unknown'].includes(body.result))).toBe(true);
    const receipt = (await command(sessionId, save, { commandId: 'save' })).body;
    expect(receipt).toEqual({ ...first[0]?.body, replay: true });
    await command(sessionId, { op: 'observe', mode: 'network' });
    expect(t.harbour.asked('/saved') - before).toBe(1);
    expect(await show(sessionId, '/form', { commandId: 'save' })).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', details: { reason: 'COMMAND_ID_REUSED', commandId: 'save' } },
    });
    // As a service leaves it that ended in the middle.
    await database.query(
      `update browser_entries set state = 'pending', outcome = null where session_id = $1 and command_id = 'save'`,
      [sessionId],
    );
    expect((await command(sessionId, save, { commandId: 'save' })).body).toMatchObject({
      result: 'unknown',
      replay: true,
    });
  });

  test('policies refuse, and nothing leads out of what the service may reach', async () => {
    const { sessionId, effectivePolicy } = await open({ policy: { mode: 'read_only' } });
    expect(effectivePolicy.tools).toEqual(expect.arrayContaining(['navigate', 'observe']));
    await show(sessionId, '/form');
    const save = { op: 'act', verb: 'click', target: { selector: '#save' } };
    expect((await command(sessionId, save)).body).toMatchObject({
      result: 'refused',
      refusal: 'not-allowed',
      reason: expect.stringContaining('read_only'),
      policy: { mode: 'read_only' },
    });
    for (const url of [
      t.harbour.url('/away'),
      `http://elsewhere.test:${t.harbour.web.port}/form`,
      'http://127.0.0.2:8099/x',
    ])
      expect((await command(sessionId, { op: 'navigate', url })).body).toMatchObject({
        result: 'refused',
        reason: expect.stringContaining('127.0.0.2'),
      });
    const origin = `http://ships.test:${t.harbour.web.port}`;
    const listed = await open({ policy: { mode: 'allowlist', originAllowlist: [origin] } });
    expect(listed.effectivePolicy).toEqual({ tools: null, origins: [origin] });
    expect((await show(listed.sessionId, '/form')).body).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('originAllowlist'),
    });
    const there = await command(listed.sessionId, { op: 'navigate', url: `${origin}/form` });
    expect(there.body.result).toBe('executed');
    expect((await open({ policy: { mode: 'allowlist' } })).effectivePolicy).toEqual({
      tools: [],
      origins: [],
    });
    const wrong = await ask('session', { policy: { mode: 'allowlist', originAllowlist: ['ftp://x'] } });
    expect(wrong).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('originAllowlist') },
    });
    const long = { op: 'invoke_page_tool', toolKey: 'x', input: 'x'.repeat(64_000) };
    expect((await command(sessionId, long)).body.message).toContain('64000 characters');
  });

  test('others find nothing', async () => {
    const { sessionId } = await open();
    const { key } = await t.service.member('owner');
    const look = { command: { op: 'observe', mode: 'url' } };
    for (const [verb, body] of Object.entries({
      command: look,
      note: { text: 'x' },
      trace: {},
      artifact: { artifactId: 'x' },
      close: {},
    }))
      expect((await ask(verb, { sessionId, ...body }, key)).status).toBe(404);
    expect((await ask('sessions', {}, key)).body.sessions).toEqual([]);
    const elsewhere = (await t.service.post('/projects', { name: 'Other' })).body.id;
    expect((await ask('command', { sessionId, projectId: elsewhere, ...look })).status).toBe(404);
    expect(await stateOf(sessionId)).toBe('active');
  });

  test('a third browser puts the one to sleep that was used longest ago; a command wakes it up', async () => {
    const [one, two] = [await open(), await open()];
    await show(one.sessionId, '/stored');
    await command(two.sessionId, { op: 'observe', mode: 'url' });
    const three = await open();
    expect(await stateOf(one.sessionId)).toBe('sleeping');
    const woken = (await command(one.sessionId, { op: 'observe', mode: 'text' })).body;
    expect(woken).toMatchObject({ result: 'executed', url: t.harbour.url('/stored'), title: 'Stored' });
    expect(woken.bootId).not.toBe(one.bootId);
    // The page was reloaded with its stored data.
    expect(woken.observation.text).toContain('visits: 1');
    expect(await stateOf(two.sessionId)).toBe('sleeping');
    const events = (await trace(one.sessionId)).filter(({ kind }: { kind: string }) => kind === 'event');
    expect(events.map(({ event }: { event: string }) => event)).toEqual(['opened', 'slept', 'woken']);
    const sealed = await textOf(database);
    expect(sealed).not.toContain('"visits"');

    const busy = [one, three].map(({ sessionId }) => show(sessionId, '/held'));
    await t.harbour.waiting(2);
    expect(await command(two.sessionId, { op: 'observe', mode: 'url' })).toMatchObject({
      status: 429,
      body: { details: { reason: 'BROWSERS_BUSY', sessionIds: expect.arrayContaining([one.sessionId]) } },
    });
    t.harbour.release();
    for (const { body } of await Promise.all(busy)) expect(body.title).toBe('Released');

    // The service has room for three, and those that others leave idle make room.
    const member = await t.service.member('member');
    const theirs = await Promise.all(
      [1, 2].map(() => ask('session', { policy: everything }, member.key).then(({ body }) => body.state)),
    );
    expect(theirs).toEqual(['active', 'active']);
    const left = await Promise.all([one, three].map(({ sessionId }) => stateOf(sessionId)));
    expect(left.toSorted()).toEqual(['active', 'sleeping']);

    t.ahead = 11 * 60_000;
    await t.service.running.services.liveBrowsers.putIdleToSleep();
    for (const { sessionId } of [one, three]) expect(await stateOf(sessionId)).toBe('sleeping');
  });

  test('a profile keeps what is stored for the next browser, and is one browser at a time', async () => {
    const { sessionId } = await open({ profile: 'persistent' });
    await show(sessionId, '/stored');
    expect(await ask('session', { policy: everything, profile: 'persistent' })).toMatchObject({
      status: 409,
      body: { details: { reason: 'PROFILE_IN_USE', sessionId } },
    });
    await close(sessionId);
    const next = await open({ profile: 'persistent' });
    await show(next.sessionId, '/stored');
    const { observation } = (await command(next.sessionId, { op: 'observe', mode: 'text' })).body;
    expect(observation.text).toContain('visits: 1');
    // The state sealed before is deleted.
    const { rows } = await database.query(
      `select id from sealed_values v where not exists (select from browser_sessions where sealed_id = v.id)
         and not exists (select from browser_profiles where sealed_id = v.id)`,
    );
    expect(rows).toEqual([]);
  });

  test('a browser that crashes is closed, and what it was doing is not known', async () => {
    const { sessionId } = await open();
    const doing = show(sessionId, '/held', { commandId: 'doing' });
    await t.harbour.waiting(1);
    for (const pid of t.service.running.services.browsers.pids) process.kill(pid, 'SIGKILL');
    expect((await doing).body).toMatchObject({ result: 'unknown', reason: expect.any(String) });
    t.harbour.release();
    await expect.poll(() => stateOf(sessionId)).toBe('closed');
    expect((await show(sessionId, '/form')).body.details.reason).toBe('BROWSER_CLOSED');
    expect((await show(sessionId, '/held', { commandId: 'doing' })).body).toMatchObject({
      result: 'unknown',
      replay: true,
    });
    const [closed] = await sessions();
    expect(closed).toMatchObject({
      state: 'closed',
      closedReason: expect.stringMatching(/the browser (?:crashed|ended)/),
    });
    expect((await show((await open()).sessionId, '/form')).body.result).toBe('executed');
  });

  test('one whose process is gone is closed; one of another process is handed over, and outlives it', async () => {
    const lost = await open();
    await show(lost.sessionId, '/form', { commandId: 'cut' });
    await database.query(
      `update browser_entries set state = 'pending', outcome = null where command_id = 'cut'`,
    );
    await database.query(`update browser_sessions set holder_id = 'brh_gone' where id = $1`, [
      lost.sessionId,
    ]);
    expect((await show(lost.sessionId, '/form')).body).toMatchObject({
      message: expect.stringContaining('the service stopped'),
      details: { reason: 'BROWSER_CLOSED' },
    });
    expect((await show(lost.sessionId, '/form', { commandId: 'cut' })).body.result).toBe('unknown');

    const { sessionId, bootId } = await open();
    await show(sessionId, '/stored');
    const replica = await startTestService({
      database: t.service.database,
      dataDir: t.service.running.services.config.dataDir,
      env: { DRYDOCK_ALLOWED_NETWORKS: '127.0.0.1/32' },
      worker: false,
    });
    try {
      const body = { projectId: t.projectId, sessionId, command: { op: 'observe', mode: 'text' } };
      const there = await replica.post('/browser-sessions/command', body, { key: t.service.key });
      expect(there.body).toMatchObject({ result: 'executed', title: 'Stored' });
      expect(there.body.bootId).not.toBe(bootId);
    } finally {
      await replica.stop();
    }
    expect(await stateOf(sessionId)).toBe('sleeping');
    expect((await command(sessionId, { op: 'observe', mode: 'text' })).body.observation.text).toContain(
      'visits: 2',
    );
  });
});

test('where there is no browser it says what to do', async () => {
  const service = await startForTest({ env: { DRYDOCK_BROWSER: 'off' }, worker: false });
  const projectId = await service.defaultProject();
  const answer = await service.post('/browser-sessions/session', { projectId, policy: everything });
  expect(answer).toMatchObject({
    status: 422,
    body: { code: 'FEATURE_NOT_SUPPORTED', message: expect.stringContaining('DRYDOCK_BROWSER') },
  });
  expect((await service.post('/browser-sessions/sessions', { projectId })).body.sessions).toEqual([]);
});
