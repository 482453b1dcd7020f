// @module-tag long
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserTests, onlyHere } from './support/browser-sessions.ts';
import type { Answer } from './support/service.ts';
import { pages, serveWeb, type Web } from './support/web.ts';

/** Pages, programs and models that mean harm to browsers. */

const t = browserTests({ env: { ...onlyHere.env, DRYDOCK_BROWSER_SESSIONS: '3' } });
let database: pg.Client;
let web: Web;

/** A page whose tools answer with whatever text its script makes. */
const lying = (text: string): string =>
  `<title>Liar</title><script>
    navigator.modelContext.registerTool({ name: 'lie', execute: () => 1 });
    JSON.stringify = () => ${text};
  </script>`;

beforeAll(async () => {
  database = await t.service.database.connect();
  web = await serveWeb(
    pages({
      '/deep': lying(`'{"output":' + '['.repeat(50000) + ']'.repeat(50000) + '}'`),
      '/long': lying(`'{"output":"' + 'x'.repeat(8e6) + '"}'`),
      '/drag': `<title>Drag</title><div id=from style="width:50px;height:50px">from</div>
        <div id=to style="width:50px;height:50px">to</div><script>
        document.querySelector('#from').onmousedown = () => {
          document.title = 'Pressed';
          document.querySelector('#to').style.display = 'none';
        };</script>`,
      '/alerts': `<title>Alerts</title><button onclick="fetch('/clicked')">Click</button><script>
        setTimeout(() => { for (;;) alert('again') }, 300)</script>`,
    }),
    '127.0.0.1',
    (work) => afterAll(work),
  );
});
afterAll(() => database?.end());
beforeEach(async () => {
  for (const { sessionId } of await sessions()) await ask('close', { sessionId });
});

const ask = (verb: string, body: object): Promise<Answer> =>
  t.service.post(`/browser-sessions/${verb}`, { projectId: t.projectId, ...body });
const sessions = async (): Promise<{ sessionId: string; state: string }[]> =>
  (await ask('sessions', {})).body.sessions;
const command = async (sessionId: string, sent: object, more: object = {}) =>
  (await ask('command', { sessionId, command: sent, ...more })).body;
const dialogsOf = async (sessionId: string): Promise<object[]> =>
  (await command(sessionId, { op: 'observe', mode: 'dialog' })).observation.dialogs;
/** A browser with a page in it. */
async function at(path: string): Promise<string> {
  const { sessionId } = (await ask('session', { policy: { mode: 'allow_all' } })).body;
  const shown = await command(sessionId, { op: 'navigate', url: `${web.origin}${path}` });
  expect(shown.result).toBe('executed');
  return sessionId;
}

describe(`hostile pages`, { tags: ['chromium'] }, () => {
  test.each([
    ['/deep', 'more than 64 levels'],
    ['/long', 'at most'],
  ])('%s: a tool of a page that answers with what cannot be kept has failed', async (path, words) => {
    const sessionId = await at(path);
    const invoke = { op: 'invoke_page_tool', toolKey: 'lie', input: {} };
    expect(await command(sessionId, invoke)).toMatchObject({
      result: 'executed',
      output: { error: expect.stringContaining(words) },
    });
    const listed = await command(sessionId, { op: 'observe', mode: 'page_tools' });
    expect(listed.observation.tools).toEqual([]);
  });

  test('a drag that lost its way in the middle is not refused: the button was down', async () => {
    const sessionId = await at('/drag');
    const drag = { op: 'act', verb: 'drag', target: { selector: '#from' }, value: '#to' };
    expect(await command(sessionId, drag)).toMatchObject({ result: 'unknown' });
    expect(await command(sessionId, { op: 'observe', mode: 'url' })).toMatchObject({ title: 'Pressed' });
  });

  test('a command whose receipt could not be written is unknown, and its browser not at work', async () => {
    const sessionId = await at('/drag');
    await database.query(`create function fail_settle() returns trigger language plpgsql as $$
      begin raise exception 'no room'; end $$`);
    await database.query(`create trigger fail_settle before update of outcome on browser_entries
      for each row execute function fail_settle()`);
    const look = { op: 'observe', mode: 'url' };
    expect(await command(sessionId, look, { commandId: 'c1' })).toMatchObject({ code: 'INTERNAL_ERROR' });
    await database.query('drop function fail_settle cascade');
    const { rows } = await database.query(
      `select state from browser_entries where session_id = $1 and command_id = 'c1'`,
      [sessionId],
    );
    expect(rows).toEqual([{ state: 'unknown' }]);
    expect(await command(sessionId, look, { commandId: 'c1' })).toMatchObject({
      result: 'unknown',
      replay: true,
    });
  });

  test('a page that never stops asking is told from one that was used, and can be left', async () => {
    const sessionId = await at('/alerts');
    await expect.poll(async () => (await dialogsOf(sessionId)).length).toBeGreaterThan(0);
    const click = { op: 'act', verb: 'click', target: { selector: 'button' } };
    expect(await command(sessionId, click)).toMatchObject({ result: 'refused', dialog: { outcome: 'open' } });
    expect(await command(sessionId, { op: 'observe', mode: 'text' })).toMatchObject({ result: 'refused' });
    const next = { op: 'navigate', url: `${web.origin}/drag` };
    expect(await command(sessionId, next)).toMatchObject({ result: 'unknown' });
    const leave = { op: 'act', verb: 'close_tab', value: 't1' };
    expect(await command(sessionId, leave)).toMatchObject({ result: 'executed', tabs: [] });
    expect(await command(sessionId, next)).toMatchObject({ result: 'executed', title: 'Drag' });
    expect(web.paths).not.toContain('/clicked');
  });

  test('a browser that its process lost does not write over the profile of the next one', async () => {
    const mine = { policy: { mode: 'allow_all' }, profile: 'persistent' };
    const visit = { op: 'navigate', url: t.harbour.url('/stored'), observeAfter: 'a11y' };
    const opened = async (): Promise<string> => (await ask('session', mine)).body.sessionId;
    const lost = await opened();
    await command(lost, visit);
    await database.query(`update browser_sessions set holder_id = 'brh_gone' where id = $1`, [lost]);
    const next = await opened();
    for (let n = 0; n < 3; n++) await command(next, visit);
    await ask('close', { sessionId: next });
    t.ahead = 60 * 60_000;
    await t.service.running.services.liveBrowsers.putIdleToSleep();
    t.ahead = 0;
    expect((await command(await opened(), visit)).observation.text).toContain('visits: 3');
  });
});
