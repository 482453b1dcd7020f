// @module-tag long
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serveDemoHttp } from '../src/demo-server/http.ts';
import { seriousFindings } from './support/access.ts';
import { startBrowser, visit } from './support/chromium.ts';
import { givePassword, newSession } from './support/people.ts';
import { isSigned, Receiver } from './support/receiver.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

describe('webhooks and health in the console', { tags: ['chromium'] }, () => {
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
    onTestFinished(() => page.context().close());
    const projectId = (await service.post('/projects', { name: 'Told' })).body.id as string;
    return {
      ...visited,
      project: `/projects/${projectId}`,
      button: (name: string) => page.getByRole('button', { name, exact: true }),
    };
  }

  test('a webhook is made, tested, switched off by its receiver, changed and deleted', async () => {
    const receiver = await Receiver.start();
    const { page, complaints, project, button } = await opened();
    await page.goto(`/console${project}`);
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await button('New webhook').click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('CI');
    await page.getByRole('textbox', { name: /^URL/ }).fill(receiver.url);
    expect(await seriousFindings(page)).toEqual([]);
    await button('Create webhook').click();
    const once = page.getByRole('dialog', { name: 'Secret of CI' });
    const secret = (await once.locator('pre').textContent()) as string;
    expect(secret).toMatch(/^whsec_/);
    await button('Done').click();
    await page.getByRole('link', { name: 'CI' }).click();
    await button('Send test').click();
    await receiver.until(({ taken }) => taken.length === 1);
    expect(isSigned(receiver.taken[0] as never, secret)).toBe(true);
    const deliveries = page.getByRole('table', { name: 'Deliveries' });
    await deliveries.getByRole('row', { name: /webhook\.test.*delivered/ }).waitFor();
    await button('Expand webhook.test').click();
    await page.getByText('Test event').waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    receiver.answer = () => 410;
    await button('Send test').click();
    await page.getByText('The receiver responded with 410').waitFor();
    await page.getByText('disabled').first().waitFor();
    receiver.answer = () => 200;
    await button('Enable').click();
    await page.getByText('active', { exact: true }).waitFor();

    await button('Edit').click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('Build');
    await button('Save changes').click();
    await page.getByRole('heading', { name: 'Build', level: 1 }).waitFor();
    await button('Rotate secret').click();
    await button('Rotate secret').click();
    await page.getByRole('dialog', { name: 'New secret of Build' }).waitFor();
    await button('Done').click();
    expect(await page.content()).not.toContain('tell-nobody');
    await button('Delete').click();
    await button('Delete webhook').click();
    await page.getByText('No webhooks yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a server is checked regularly from its page, which shows how it was', async () => {
    const { page, complaints, project, button } = await opened();
    const demo = await serveDemoHttp(0, 'test');
    onTestFinished(() => demo.stop());
    const { id } = (await service.post(`${project}/servers`, { name: 'Harbour', url: demo.url })).body;
    await page.goto(`/console${project}/servers/${id}?tab=health`);
    await button('Check every 5 minutes').click();
    await page.getByText('healthy since').waitFor();
    await page.getByText('100% of the last day').waitFor();
    await page.getByText('Latest checks').click();
    await page.getByRole('table', { name: 'Latest checks' }).getByText('ready').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel('Check interval').selectOption('No scheduled checks');
    const read = async () => (await service.get(`${project}/servers/${id}/checks`)).body.enabled as boolean;
    await expect.poll(read).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('a server behind a tunnel says whether somebody holds it open', async () => {
    const { page, complaints, project, button } = await opened();
    await service.post(`${project}/tunnels`, { name: 'laptop' });
    await page.goto(`/console${project}/servers`);
    await page.getByText('not connected', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'laptop' }).click();
    await page.getByText('drydock tunnel --port 3000 --name "laptop"').waitFor();
    await button('Close tunnel').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close tunnel' }).click();
    await page.getByText('closed', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});
