// @module-tag long
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumPath } from './support/chromium.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { listen } from './targets/listen.ts';
import { startWidgetServer, type WidgetServer } from './targets/widgets.ts';

/** Widgets of MCP Apps in a real browser. */

let service: TestService;
let target: WidgetServer;
let path: string;

async function saved(url: string, at = service): Promise<string> {
  const project = (await at.post('/projects', { name: 'Widgets' })).body.id as string;
  const { body } = await at.post(`/projects/${project}/servers`, { name: 'widgets', url });
  return `/projects/${project}/servers/${body.id}/widgets/render`;
}

beforeAll(async () => {
  service = await startTestService({
    env: { DRYDOCK_BROWSER: chromiumPath, DRYDOCK_BROWSER_SESSIONS: '2' },
  });
  target = await startWidgetServer();
  path = await saved(target.url);
});
afterAll(async () => {
  await target?.stop();
  await dispose(service);
});

// Tests read arbitrary answers.
// oxlint-disable-next-line typescript/no-explicit-any
async function render(toolName: string, more: object = {}): Promise<any> {
  const { status, body, text } = await service.post(path, { toolName, ...more });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body;
}

describe('a widget', { tags: ['chromium'] }, () => {
  test('is rendered with what its tool was called with and what came of it', async () => {
    const shown = await render('counter', { parameters: { ship: 'Albatross' }, includeScreenshot: true });
    expect(shown).toMatchObject({
      status: 'rendered',
      resourceUri: 'ui://fixture/counter',
      bridgeInitialized: true,
      consoleErrors: [],
      blockedRequests: [],
      snapshot: {
        mode: 'a11y',
        elements: expect.arrayContaining([
          { role: { role: 'heading', name: 'Ships' } },
          { role: { role: 'button', name: 'Add' }, ambiguous: true },
          { role: { role: 'button', name: 'Look up' } },
          { role: { role: 'textbox', name: 'Captain' } },
          { testId: 'count' },
        ]),
      },
      screenshot: { mimeType: 'image/png' },
      timings: { renderMs: expect.any(Number), totalMs: expect.any(Number) },
    });
    expect(shown.snapshot.tree).toContain('Albatross seaworthy');
    expect(Buffer.from(shown.screenshot.base64, 'base64').subarray(1, 4).toString()).toBe('PNG');
  });

  test.each([
    ['complains', 'rendered', { consoleErrors: ['the chart is missing'] }],
    ['blank', 'blank_screenshot', { bridgeInitialized: true }],
    ['throws', 'render_error', { bridgeInitialized: false, problem: expect.stringContaining('begin') }],
    ['missing', 'resource_read_failed', { problem: expect.stringContaining('No such resource') }],
    ['huge', 'rendered', { consoleErrors: [] }],
  ])('that %s is %s', async (toolName, status, rest) => {
    expect(await render(toolName, { includeSnapshot: false })).toMatchObject({ status, ...rest });
  });

  test('reaches what its csp declares and nothing else', async () => {
    const { port, stop } = await listen(async (_request, response) => {
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end('a chart');
    });
    onTestFinished(stop);
    const origin = `http://127.0.0.1:${port}`;
    const reaching = await startWidgetServer(origin);
    onTestFinished(reaching.stop);
    const denied = target.url;
    const { body } = await service.post(await saved(reaching.url), {
      toolName: 'reaches',
      parameters: { allowed: `${origin}/chart`, denied },
    });
    expect(body).toMatchObject({ status: 'rendered', blockedRequests: [expect.stringContaining(denied)] });
    expect(body.snapshot.tree).toContain('a chart and blocked');
    expect(body.snapshot.tree).toContain('a note');
  });

  test('written for window.openai gets it, over the same bridge', async () => {
    const shown = await render('openai', { parameters: { ship: 'Gannet' } });
    expect(shown).toMatchObject({ status: 'rendered', toolCalls: [{ toolName: 'look_up' }] });
    expect(shown.snapshot.tree).toContain('Gannet is seaworthy');
    expect(shown.snapshot.tree).toContain('look_up {\\"port\\":\\"Kiel\\"}');
    expect(await render('openai', { injectOpenAiCompat: false })).toMatchObject({ status: 'render_error' });
  });

  test('that is hostile reaches nothing and holds nothing up', async () => {
    const shown = await render('floods');
    expect(shown.status).toBe('rendered');
    expect(shown.snapshot.tree).toContain('no top, no parent');
    expect(shown.snapshot.tree).toContain('no window, refused, refused, no link');
    expect(shown.hostRequests[0]).toBe('refused link: javascript:alert(1)');
    expect(shown.hostRequests.length).toBeLessThanOrEqual(50);
    const looping = await render('loops');
    expect(looping).toMatchObject({
      status: 'render_error',
      problem: expect.stringContaining('does not end'),
    });
    expect((await render('complains')).status).toBe('rendered');
  });
});

describe('what cannot be rendered', () => {
  test('is refused before the tool is called, with what to do', async () => {
    const blind = await startForTest({ worker: false, env: { DRYDOCK_BROWSER: 'off' } });
    const refused = await blind.post(await saved(await blind.widgetUrl(), blind), { toolName: 'counter' });
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'FEATURE_NOT_SUPPORTED', message: expect.stringContaining('DRYDOCK_BROWSER') },
    });
    const before = target.asked.length;
    expect(await service.post(path, { toolName: 'look_up' })).toMatchObject({
      status: 422,
      body: { details: { reason: 'NO_UI_RESOURCE', tools: expect.arrayContaining(['counter', 'missing']) } },
    });
    expect(target.asked.slice(before)).not.toContain('tools/call look_up');
  });

  test('for want of room is refused for a while', { tags: ['chromium'] }, async () => {
    const { browsers, config } = service.running.services;
    const open = () => browsers.open({ policy: { mode: 'allow_all' } });
    const held = await Promise.all(Array.from({ length: config.browserSessions }, open));
    onTestFinished(async () => void (await Promise.all(held.map((session) => session.close()))));
    const refused = await service.post(path, { toolName: 'counter' });
    expect(refused).toMatchObject({ status: 429, body: { details: { reason: 'BROWSER_CAPACITY' } } });
    expect(refused.headers.get('retry-after')).toBe('5');
  });
});
