import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { visit } from './support/chromium.ts';
import { inBrowser, type Shared } from './support/console.ts';
import { answers, schemas, startHostilePages } from './targets/hostile-pages.ts';

/** Milliseconds that a page may be busy at a stretch; where nobody else is at work it is a fifth of that. */
const longest = 1_000;

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
      .getByText('9,940 more fields are not shown. Write them as JSON.')
      .waitFor({ state: 'detached' });
    await tool('wide').click();
    await page.getByText('9,940 more fields are not shown. Write them as JSON.').waitFor();
    await tool('bushy').click();
    await page.getByText('Objects inside others are written as JSON.').waitFor();

    // Names that every object has are names as any other.
    await tool('prototypes').click();
    await page.getByRole('textbox', { name: 'constructor', exact: true }).fill('one');
    await page.getByRole('textbox', { name: 'valueOf', exact: true }).fill('2');
    const json = JSON.parse(await page.getByRole('textbox', { name: 'As JSON' }).inputValue()) as unknown;
    expect(json).toEqual({ constructor: 'one', toString: { valueOf: 2 } });
    await page.getByRole('textbox', { name: '__proto__', exact: true }).fill('three');
    expect(await page.getByRole('textbox', { name: 'As JSON' }).inputValue()).toContain(
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
    expect(complaints).toEqual([]);
    expect(asked()).toEqual([]);
  });
});

/** A server that means no good, saved, and a page that says what it was made to ask for elsewhere. */
async function hostileServer({ service, browser }: Shared) {
  const target = await startHostilePages();
  onTestFinished(() => target.stop());
  const { api, projectId, baseUrl } = service;
  const { id } = await api.createProjectServer({ projectId, body: { name: 'hostile', url: target.url } });
  const visited = await visit(browser, service);
  const { page } = visited;
  await page.addInitScript(`globalThis.busiest = 0; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) busiest = Math.max(busiest, duration);
  }).observe({ type: 'longtask', buffered: true });`);
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
  const busiest = (await page.evaluate(
    'const was = globalThis.busiest; globalThis.busiest = 0; was',
  )) as number;
  console.log(what, busiest);
  expect([what, busiest < longest]).toEqual([what, true]);
}
