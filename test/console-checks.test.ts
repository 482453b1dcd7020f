// @module-tag long
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serveDemoHttp } from '../src/demo-server/http.ts';
import { seriousFindings } from './support/access.ts';
import { startBrowser, visit } from './support/chromium.ts';
import { givePassword, newSession } from './support/people.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

const shots = process.env['DRYDOCK_CONSOLE_SHOTS'];

describe('conformance and readiness in the console', { tags: ['chromium'] }, () => {
  let service: TestService;
  let browser: Browser;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    service = await startTestService();
    browser = await startBrowser((end) => void ends.push(end));
  });
  afterAll(async () => {
    await Promise.all(ends.map((end) => end()));
    await dispose(service);
  });

  async function opened() {
    const { userId } = await service.member('admin');
    await givePassword(service, userId);
    const session = await newSession(service, userId);
    const visited = await visit(browser, { baseUrl: service.origin, session });
    const { page } = visited;
    page.setDefaultTimeout(30_000);
    onTestFinished(() => page.context().close());
    const demo = await serveDemoHttp(0, 'test');
    onTestFinished(() => demo.stop());
    const project = `/projects/${(await service.post('/projects', { name: 'Checked' })).body.id as string}`;
    const server = (await service.post(`${project}/servers`, { name: 'Harbour', url: demo.url })).body;
    return {
      ...visited,
      project,
      serverId: server.id as string,
      at: `/console${project}/servers/${server.id as string}`,
      button: (name: string) => page.getByRole('button', { name, exact: true }),
      picture: async (name: string) => {
        for (const colorScheme of shots === undefined ? [] : (['light', 'dark'] as const))
          for (const width of [1440, 400]) {
            await page.emulateMedia({ colorScheme });
            await page.setViewportSize({ width, height: 1000 });
            await page.screenshot({ path: `${shots}/${name}-${colorScheme}-${width}.png` });
          }
        await page.setViewportSize({ width: 1440, height: 900 });
      },
    };
  }

  test('a server is held against the rules of a directory, and what only people know against the next run', async () => {
    const { page, complaints, at, button, picture } = await opened();
    await page.goto(at);
    await page.getByRole('link', { name: 'Readiness', exact: true }).click();
    await page.getByText('Not checked yet').waitFor();
    await button('Check readiness').click();
    await page.getByText('Declarations: nothing declared').click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('Harbour');
    await page.getByRole('textbox', { name: /^Privacy policy/ }).fill('http://harbour.example');
    await page.getByText('Declarations: 2 fields declared').waitFor();
    await picture('readiness-start');
    expect(await seriousFindings(page)).toEqual([]);
    await button('Start check').click();

    await page.getByRole('heading', { name: 'Claude connectors directory not ready' }).waitFor();
    const open = page.getByRole('list', { name: 'Runtime compatibility: open' });
    const first = open.getByRole('listitem').first();
    await first.getByRole('img', { name: 'broken' }).waitFor();
    await open.getByText('The URL starts with http://').waitFor();
    await open
      .getByText('Serve it over HTTPS with a certificate from a public certificate authority.')
      .waitFor();
    const submission = page.getByRole('list', { name: 'Submission: open' });
    await submission.getByText('privacyPolicyUrl is not an https URL').waitFor();
    await submission.getByText('Needs documentation.').waitFor();
    const lanes = page.getByRole('table', { name: 'Lanes' });
    await lanes.getByRole('row', { name: /^Submission not ready .*documentation/ }).waitFor();
    expect(await page.getByRole('list', { name: 'Runtime compatibility: met' }).count()).toBe(0);
    await page
      .getByText(/^\d+ rules? met$/)
      .first()
      .click();
    await page.getByRole('list', { name: 'Runtime compatibility: met' }).waitFor();
    await picture('readiness');
    expect(await seriousFindings(page)).toEqual([]);

    // The declared values are prefilled for the next run, for another directory.
    await button('Check readiness').click();
    await page.getByRole('radio', { name: /^OpenAI plugins/ }).check();
    await page.getByRole('radio', { name: /^The server and its skills/ }).check();
    await page.getByText('Declarations: 2 fields declared').waitFor();
    await button('Start check').click();
    await page.getByRole('heading', { name: 'OpenAI plugins directory not ready' }).waitFor();
    await page.getByRole('heading', { name: 'Plugin package' }).waitFor();
    const runs = page.getByRole('table', { name: 'Readiness runs' });
    await runs
      .getByRole('row', { name: /not ready Claude connectors/ })
      .getByRole('link')
      .click();
    await page.getByRole('heading', { name: 'Claude connectors directory not ready' }).waitFor();
    expect(page.url()).toContain('run=rdy_');
    expect(complaints).toEqual([]);
  });

  test('a server is checked for conformance, its runs are compared, opened and shared', async () => {
    const { page, complaints, at, project, serverId, button, picture } = await opened();
    for (const last of ['passed', 'failed'])
      await service.post(`${project}/conformance-ingest/report`, reported(serverId, last));
    await page.goto(`${at}?tab=conformance`);
    await page.getByText('It answered 500').waitFor();
    await page.getByText('reported by a GitHub action').first().waitFor();
    await button('Run conformance').click();
    await page.getByRole('checkbox', { name: /^Protocol/ }).uncheck();
    await picture('conformance-start');
    expect(await seriousFindings(page)).toEqual([]);
    await button('Start run').click();
    await page.getByRole('heading', { name: 'Latest run passed' }).waitFor();
    const suites = page.getByRole('table', { name: 'Suites' });
    await suites.getByRole('row', { name: /^MCP Apps passed/ }).waitFor();
    await page.getByRole('img', { name: 'Score of 2 runs; the last has 50 of 100, the first 100' }).waitFor();
    await picture('conformance');
    expect(await seriousFindings(page)).toEqual([]);

    await page.goto(`/console${project}/servers`);
    await page.getByRole('link', { name: 'Conformance runs' }).click();
    await picture('conformance-runs');
    const rows = page.getByRole('table', { name: 'Conformance runs' });
    await rows
      .getByRole('row', { name: /failed 50/ })
      .getByRole('link')
      .click();
    await page.getByRole('heading', { name: 'Conformance of weather', level: 1 }).waitFor();
    await page.getByText('It answered 500').waitFor();
    await picture('conformance-run');
    expect(await seriousFindings(page)).toEqual([]);
    await button('Share').click();
    await page.getByText('the titles of failed checks').waitFor();
    await page.getByRole('checkbox', { name: 'Anyone with the link can view this run' }).click();
    await button('Copy link').waitFor();
    expect(complaints).toEqual([]);
  });
});

function reported(serverId: string, last: string) {
  const cases = [
    { id: 'ping', title: 'Answers a ping', status: 'passed' },
    {
      id: 'close',
      title: '<b>Ends</b> a session',
      status: last,
      ...(last === 'failed' && { error: 'It answered 500' }),
    },
  ];
  return {
    target: { kind: 'server', serverId, serverRef: 'weather' },
    source: 'github_action',
    ci: { provider: 'github', runId: '4711' },
    suiteKind: 'protocol',
    report: { outcome: last, groups: [{ id: 'lifecycle', title: 'Lifecycle', cases }] },
  };
}
