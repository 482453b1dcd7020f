// @module-tag long
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { rightPassword } from './support/browser.ts';
import { sessionOf, startBrowser, visit } from './support/chromium.ts';
import { inBrowser, type Shared } from './support/console.ts';
import { pagesOf } from './support/console-pages/index.ts';
import { giveHostileNames, misplaced } from './support/hostile-names.ts';
import { traces } from './support/hostile-traces.ts';
import { scaled } from './support/slowdown.ts';
import { answers, schemas, startHostilePages } from './targets/hostile-pages.ts';

/** Milliseconds that a page may be busy at a stretch; where nobody else is at work it is less than half of that. */
const longest = 500;

inBrowser((shared) => {
  test('no schema, answer or prompt of a server stops a page, runs anything or reaches outside', async () => {
    const { page, at, complaints, asked } = await hostileServer(shared);
    const tool = (name: string) => page.getByRole('link', { name: new RegExp(`^${name} `) });
    await page.goto(`${at}?tab=tools`);
    await tool('recursive').waitFor();
    for (const name of Object.keys(schemas)) {
      await tool(name).click();
      await page.getByRole('region', { name: `Tool ${name}` }).waitFor();
      const fields = await page.locator('input, select, textarea').count();
      expect([name, fields > 1 && fields < 250]).toEqual([name, true]);
      await bearable(page, name);
    }
    await page
      .getByText('9,940 more fields are not shown. Edit them as JSON.')
      .waitFor({ state: 'detached' });
    await tool('wide').click();
    await page.getByText('9,940 more fields are not shown. Edit them as JSON.').waitFor();
    await tool('bushy').click();
    await page.getByText('Edit nested objects as JSON.').waitFor();

    // Names that every object has are names as any other.
    await tool('prototypes').click();
    await page.getByRole('textbox', { name: 'constructor', exact: true }).fill('one');
    await page.getByRole('textbox', { name: 'valueOf', exact: true }).fill('2');
    const json = JSON.parse(
      await page.getByRole('textbox', { name: 'JSON', exact: true }).inputValue(),
    ) as unknown;
    expect(json).toEqual({ constructor: 'one', toString: { valueOf: 2 } });
    await page.getByRole('textbox', { name: '__proto__', exact: true }).fill('three');
    expect(await page.getByRole('textbox', { name: 'JSON', exact: true }).inputValue()).toContain(
      '"__proto__": "three"',
    );

    for (const name of Object.keys(answers)) {
      await tool(name).click();
      await page
        .getByRole('region', { name: `Tool ${name}` })
        .getByRole('button', { name: 'Call tool' })
        .click();
      await page.getByRole('button', { name: 'Save as eval case' }).waitFor();
      for (const view of ['Raw', 'Content']) {
        await page.getByRole('button', { name: view, exact: true }).click();
        await bearable(page, `${name} ${view}`);
      }
    }

    await page.getByRole('link', { name: 'Prompts', exact: true }).click();
    const argument = page.getByRole('textbox', { name: /^constructor/ });
    await argument.first().fill('four');
    expect(await argument.first().inputValue()).toBe('four');
    expect(await page.getByRole('textbox', { name: /^__proto__/ }).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Render prompt' }).click();
    await page.getByText('50 of 10,000 messages are shown.').waitFor();
    await bearable(page, 'prompt');
    expect(complaints).toEqual([]);
    expect(asked()).toEqual([]);
  });

  test('a trial shows what there is of a trace that is odd or too large', { tags: ['long'] }, async () => {
    const { api, projectId } = shared.service;
    const { runId } = await api.reportEvalRun({
      projectId,
      body: {
        suiteName: 'Odd traces',
        results: Object.entries(traces).map(([caseTitle, trace]) => ({
          caseTitle,
          passed: false,
          trace,
          scores: [{ scorerId: '__proto__', value: {} }],
          evaluationConfig: { hash: 'odd', definitions: [] },
        })),
      },
    });
    const { items } = await api.listEvalRunIterations({ projectId, runId });
    const { page, complaints } = await watched(shared);
    for (const { id, title } of items) {
      await page.goto(`/console/projects/${projectId}/runs/${runId}/trials/${id}?raw=true`);
      await page.getByRole('heading', { name: 'Conversation' }).waitFor();
      await page.getByText('do not match their definition').waitFor();
      expect([title, (await page.locator('main *').count()) < 6_000]).toEqual([title, true]);
      await bearable(page, title);
    }
    expect(complaints).toEqual([]);
  });

  test('a page that cannot be drawn says so with a code and a way on, and the rest of the console stays', async () => {
    const { projectId, runId } = shared.service;
    const { page } = await visit(shared.browser, shared.service);
    await page.route(`**/eval-runs/${runId}?**`, (route) => route.fulfill({ json: {} }));
    await page.goto(`/console/projects/${projectId}/runs/${runId}`);
    await page.getByRole('heading', { name: 'This page failed to load' }).waitFor();
    const problem = page.getByRole('alert');
    expect(await problem.locator('code').first().textContent()).toBe('PAGE_ERROR');
    await problem.getByRole('link', { name: 'Go to projects' }).waitFor();
    await page.unroute(`**/eval-runs/${runId}?**`);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('link', { name: /#1$/ }).first().waitFor();
  });

  test('a console whose code does not come says so instead of showing nothing', async () => {
    const { page } = await visit(shared.browser, shared.service);
    await page.route(/\/assets\/router-/, (route) => route.abort());
    await page.goto('/console/');
    await expect
      .poll(() => page.locator('#app').innerText())
      .toMatch(/^The console could not be loaded\. Reload this page/);
  });

  test('whatever an address says, the page says plainly what is there, and stays', async () => {
    const { projectId, runId, baseUrl } = shared.service;
    const { page, complaints } = await visit(shared.browser, shared.service);
    const asked = new Set<string>();
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    for (const [address, words] of oddAddresses) {
      await page.goto(address.replace('{project}', `/console/projects/${projectId}`).replace('{run}', runId));
      await expect.poll(() => page.locator('main').textContent(), { message: address }).toMatch(words);
      expect([address, ...complaints.splice(0)]).toEqual([address]);
    }
    expect([...asked]).toEqual([baseUrl]);
  });

  test('whoever comes after somebody finds nothing of theirs, in memory or by going back', async () => {
    const { service } = shared;
    const { home, baseUrl, projectId, serverId } = service;
    const link = async (...args: string[]) => (await home.run(['console', 'link', ...args])).stdout;
    const where = { baseUrl, session: await sessionOf(baseUrl, await link()) };
    await home.run(['users', 'create', next.email, '--name', 'Next']);
    await home.run(['members', 'set', next.email, 'owner']);
    await sessionOf(baseUrl, await link('--user', next.email));
    const browser = await startBrowser(onTestFinished, { keepsPages: true });
    const { page, complaints } = await visit(browser, where);

    await page.goto(`/console/projects/${projectId}/servers/${serverId}?tab=tools&item=inspect_hull`);
    await page.getByRole('button', { name: 'Call tool' }).click();
    await page.getByRole('table', { name: 'Calls in this tab' }).waitFor();
    await page.evaluate('globalThis.sameDocument = true');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/console/sign-in');
    await page.evaluate('history.back()');
    await page.waitForURL('**/console/sign-in**');
    await page.getByLabel('Email').fill(next.email);
    await page.getByLabel('Password').fill(rightPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Account: Next' }).waitFor();
    await page.getByRole('button', { name: 'Call tool' }).waitFor();
    expect(await page.getByRole('table', { name: 'Calls in this tab' }).count()).toBe(0);
    expect(await page.evaluate('globalThis.sameDocument')).toBe(true);

    // A page that the browser kept while another one was open is not shown to whoever signed out elsewhere.
    await page.goto('/console/account');
    await page.getByText(next.email).first().waitFor();
    await page.goto('/docs');
    const other = await page.context().newPage();
    await other.goto('/console/account');
    await other.getByRole('button', { name: 'Account: Next' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.waitForURL('**/console/sign-in');
    await page.goBack({ waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.content()).not.toContain(next.email);
    expect(complaints).toEqual([]);
  });

  test('names without an end leave every action in reach, on every width', { tags: ['long'] }, async () => {
    const pages = (await pagesOf(shared.service)).filter(([name]) => namedPages.includes(name));
    await giveHostileNames(shared.service);
    const { page, complaints } = await visit(shared.browser, shared.service);
    const found: string[] = [];
    for (const [name, address, there] of pages) {
      await page.goto(address);
      await page.locator(there).first().waitFor();
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const wrong = await page.evaluate<string[]>(misplaced);
        found.push(...wrong.map((one) => `${name} ${width}: ${one}`));
      }
    }
    expect([...found, ...complaints]).toEqual([]);
  });

  test('while the service is away pages say so, and go on by themselves when it is back', {
    tags: ['long'],
  }, async () => {
    const { service, browser } = shared;
    const { home, drydock, projectId, runId, baseUrl } = service;
    const { page } = await visit(browser, service);
    await page.goto(`/console/projects/${projectId}/runs/${runId}`);
    await page.getByText(ofRun).waitFor();
    await drydock.end();
    // Neither the code of this page nor that of the search has been loaded.
    await page.getByRole('link', { name: 'Secrets', exact: true }).click();
    await page.getByText('The service cannot be reached.').waitFor();
    await page.getByText('No connection to the service since').waitFor();
    expect(await page.getByRole('alert').getByRole('button', { name: 'Try again' }).count()).toBe(1);
    await page.keyboard.press('Control+k');
    await home.serve({ DRYDOCK_PORT: new URL(baseUrl).port });
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Secrets' }).waitFor();
    await page.getByText('No connection to the service').waitFor({ state: 'detached' });
  });
});

const namedPages = [
  ...[
    'overview',
    'servers',
    'server',
    'server-tools',
    'suites',
    'suite',
    'suite-launch',
    'case',
    'runs',
    'run',
  ],
  ...['trial', 'compare', 'traces', 'environments', 'environment', 'environment-edit', 'clients', 'client'],
  ...['secrets', 'groups', 'project', 'project-access', 'chats', 'chat-new', 'chat', 'chat-browser'],
  ...['studies', 'study', 'study-session', 'server-conformance', 'conformance-runs', 'conformance-run'],
];

const next = { email: 'next@example.com' };

const noId = '01m7jkjqjr2gapyr0kvfka9bwn1';

const missing = /not found|no such|there is no/i;
const ofRun = /Failed: 1 of 6 cases did not pass/;

const oddAddresses: [address: string, words: RegExp][] = [
  ['/console/projects/prj_nobody/servers', missing],
  [`{project}/servers/srv_${noId}`, missing],
  [`{project}/runs/run_${noId}`, missing],
  [`{project}/sessions/chat_${noId}`, missing],
  [`{project}/studies/std_${noId}`, missing],
  [`{project}/conformance/cfr_${noId}`, missing],
  ['{project}/conformance/__proto__', missing],
  ['{project}/studies?unpublished=[]&publish={}', /Studies/],
  ['{project}/sessions?q={"a":1}&in=[]', /Chat/],
  ['{project}/runs/__proto__', missing],
  ['{project}/runs/{run}/trials/TRIAL', missing],
  ['{project}/suites/%2e%2e%2f%2e%2e/settings', /This page does not exist/],
  ['{project}/runs/%E0%A4%A', /This page does not exist/],
  ['/console/%', /This page does not exist/],
  ['{project}/runs/{run}?q=TRIAL&sort=TRIAL&down=7', ofRun],
  [
    '{project}/runs/{run}?state=[1]&q={"a":[1]}&tool=%7B%22__proto__%22%3A1%7D&__proto__=1&constructor=2',
    ofRun,
  ],
  ['{project}/runs/{run}?q=%E0%A4%A&__proto__[x]=1&model=[[]]', ofRun],
  ['{project}/runs?suite={"a":1}&result=[]', /demo #1/],
  ['{project}/suites?make=1e999', /demo/],
  ['{project}/runs/{run}/compare?with=TRIAL&base=[]', missing],
  ['{project}/runs/{run}/compare?with={}', /No run to compare with/],
  ['{project}/runs/{run}/compare/traces?with=%00&base=[1]&trial={}', /No trial/],
  ['/console/sign-in?to=%2F%255C127.0.0.1%3A9%2F', /This page does not exist/],
  ...[
    '//127.0.0.1:9/',
    '/\\127.0.0.1:9',
    'javascript:document.title=1',
    'http://127.0.0.1:9',
    '/	/127.0.0.1',
    '["/account"]',
  ].map((to): [string, RegExp] => [`/console/sign-in?to=${encodeURIComponent(to)}`, /trials passed/]),
];

/** A page that notes how long it is busy. */
async function watched({ service, browser }: Shared) {
  const visited = await visit(browser, service);
  await visited.page.addInitScript(`globalThis.busiest = 0; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) busiest = Math.max(busiest, duration);
  }).observe({ type: 'longtask', buffered: true });`);
  return visited;
}

/** A server that means no good, saved, and a page that says what it was made to ask for elsewhere. */
async function hostileServer(shared: Shared) {
  const target = await startHostilePages();
  onTestFinished(() => target.stop());
  const { api, projectId, baseUrl } = shared.service;
  const { id } = await api.createProjectServer({ projectId, body: { name: 'hostile', url: target.url } });
  const visited = await watched(shared);
  const { page } = visited;
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const own = (url: string): boolean => url.startsWith(`${baseUrl}/`) || /^data:|^blob:/.test(url);
  return {
    ...visited,
    at: `/console/projects/${projectId}/servers/${id}`,
    asked: () => requests.filter((url) => !own(url)),
  };
}

/** Since it was asked last. */
async function bearable(page: Page, what: string): Promise<void> {
  const busiest = (await page.evaluate('[busiest, (busiest = 0)][0]')) as number;
  expect([what, busiest < scaled(longest)]).toEqual([what, true]);
}
