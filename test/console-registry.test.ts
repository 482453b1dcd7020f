// @module-tag long
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { seriousFindings } from './support/access.ts';
import { startBrowser, visit } from './support/chromium.ts';
import { givePassword, newSession } from './support/people.ts';
import { putInDirectory, serverJson } from './support/registry.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

const remote = (url: string, more: object = {}) => ({ type: 'streamable-http', url, ...more });
const npm = {
  registryType: 'npm',
  identifier: '@example/pump',
  version: '1.2.3',
  transport: { type: 'stdio' },
};

describe('the registry in the console', { tags: ['chromium'] }, () => {
  let service: TestService;
  let browser: Browser;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    service = await startTestService({ worker: false });
    await putInDirectory(service, [
      serverJson('weather', { title: 'Weather', description: 'Forecasts for sailors' }),
      serverJson('regions', {
        title: 'Regions',
        remotes: [remote('https://eu.example.com/mcp'), remote('https://us.example.com/mcp')],
      }),
      serverJson('tenant', { title: 'Tenant', remotes: [remote('https://{tenant}.example.com/mcp')] }),
      serverJson('pump', { title: 'Pump', remotes: [], packages: [npm] }),
      serverJson('arguments', {
        title: 'Arguments',
        remotes: [],
        packages: [
          { ...npm, packageArguments: [{ type: 'positional', valueHint: 'folder', isRequired: true }] },
        ],
      }),
      serverJson('hostile', { title: '<img src=x onerror=alert(1)>\u202E', description: 'y'.repeat(3000) }),
      ...Array.from({ length: 60 }, (_, n) => serverJson(`many-${n}`, { description: 'crowd' })),
    ]);
    browser = await startBrowser((end) => void ends.push(end));
  });
  afterAll(async () => {
    await Promise.all(ends.map((end) => end()));
    await dispose(service);
  });

  async function opened(role: 'admin' | 'member' = 'admin') {
    const { userId } = await service.member(role);
    await givePassword(service, userId);
    const session = await newSession(service, userId);
    const visited = await visit(browser, { baseUrl: service.origin, session });
    const { page } = visited;
    onTestFinished(() => page.context().close());
    const projectId = (await service.post('/projects', { name: 'Registry' })).body.id as string;
    const [organization] = (await service.get('/organizations')).body.items;
    return {
      ...visited,
      project: `/projects/${projectId}`,
      organization: `/organizations/${organization.id}`,
      button: (name: string) => page.getByRole('button', { name, exact: true }),
      entries: page.getByRole('table', { name: 'Directory servers' }),
      row: (name: string | RegExp) => page.getByRole('row', { name }),
    };
  }

  test('servers of the directory are found and installed, each in its way', async () => {
    const { page, complaints, project, button, entries, row } = await opened();
    await page.goto(`/console${project}`);
    await page.getByRole('link', { name: 'Registry', exact: true }).first().click();
    await entries.waitFor();
    await button('Show more').click();
    await expect.poll(() => entries.getByText('crowd').count()).toBe(60);
    await page.getByText(/^\d sources?$/).click();
    await page.getByRole('table', { name: 'Sources' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    // The search text is kept in the URL.
    const words = page.getByRole('searchbox', { name: 'Search the directory' });
    await words.fill('sailors');
    await expect.poll(() => page.url()).toContain('q=sailors');
    await expect.poll(() => entries.getByRole('row').count()).toBe(2);
    await button('Install Weather').click();
    await row(/Weather.*installed as Weather/)
      .getByRole('link', { name: 'Weather' })
      .waitFor();
    await words.fill('no such thing');
    await button('Show all servers').click();
    await expect.poll(() => words.inputValue()).toBe('');

    await page.getByLabel('Kind').selectOption('several URLs');
    await button('Install Regions').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('https://us.example.com/mcp').check();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Install', exact: true }).click();
    await row(/Regions.*installed as Regions/).waitFor();

    await page.getByLabel('Kind').selectOption('your own URL');
    await button('Install Tenant').click();
    await dialog.getByLabel('Server URL').fill('https://elsewhere.example.org/mcp');
    await dialog.getByRole('button', { name: 'Install', exact: true }).click();
    await dialog.getByText('Not a URL of this server').waitFor();
    await dialog.getByLabel('Server URL').fill('https://acme.example.com/mcp');
    await dialog.getByRole('button', { name: 'Install', exact: true }).click();
    await row(/Tenant.*installed as Tenant/).waitFor();

    await page.goto(`/console${project}/registry?kind=package`);
    await row(/Arguments.*requires arguments/).waitFor();
    await button('Install Pump').click();
    await dialog.getByText('npx -y @example/pump@1.2.3').waitFor();
    await dialog.getByRole('button', { name: 'Install', exact: true }).click();
    await row(/Pump.*installed as Pump/).waitFor();
    const installed = (await service.get(`${project}/registry/connections`)).body.items as object[];
    expect(installed).toHaveLength(4);

    await page.goto(`/console${project}/registry?q=hostile`);
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    await page.getByRole('button', { name: /^Expand/ }).click();
    await page.getByText('publisher not verified').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('what was changed since is shown before it is installed', async () => {
    const { page, complaints, project, button, row } = await opened();
    await putInDirectory(service, [serverJson('tides', { title: 'Tides' })]);
    await page.goto(`/console${project}/registry?q=tides`);
    await button('Install Tides').waitFor();
    await putInDirectory(service, [
      serverJson('tides', {
        title: 'Tides',
        version: '2.0.0',
        remotes: [remote('https://new.example.com/mcp')],
      }),
    ]);
    await button('Install Tides').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nothing has been installed').waitFor();
    await dialog.getByText('after: https://new.example.com/mcp').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await button('Install current version').click();
    await row(/Tides.*installed as Tides/).waitFor();
    expect(complaints.filter((one) => !one.includes('409'))).toEqual([]);
  });

  test('a member is told what administrators do', async () => {
    const { page, complaints, project, organization } = await opened('member');
    await page.goto(`/console${project}/registry?kind=package&q=pump`);
    await page.getByText('by a project administrator').waitFor();
    await page.goto(`/console${organization}/registry`);
    await page.getByText('Organization administrators manage them.').waitFor();
    expect(await page.getByRole('button', { name: /card$/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('cards are added, installed, changed, uninstalled, deprecated and deleted; a guest gets a token', async () => {
    const { page, complaints, project, organization, button, row } = await opened();
    await page.goto(`/console${organization}/registry`);
    await button('Add your first card').click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('harbour');
    await page.getByRole('textbox', { name: /^Server URL/ }).fill('https://harbour.example.com/mcp');
    await page.getByRole('textbox', { name: /^Description/ }).fill('Which ships are in');
    await page.getByRole('textbox', { name: /^Tags/ }).fill('sea, ships');
    await page.getByLabel('Uses OAuth').check();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Add card' }).click();
    await row(/harbour.*Which ships are in.*sea, ships/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    const other = await page.context().newPage();
    await other.goto(`/console${project}/registry`);
    await other.getByRole('button', { name: 'Install harbour' }).waitFor();
    await button('Edit harbour').click();
    await page.getByRole('textbox', { name: /^Server URL/ }).fill('https://quay.example.com/mcp');
    await button('Save changes').click();
    await row(/quay\.example\.com/).waitFor();
    await other.getByRole('button', { name: 'Install harbour' }).click();
    await other.getByText('after: https://quay.example.com/mcp').waitFor();
    await other.getByRole('button', { name: 'Install current version' }).click();
    await other.getByRole('row', { name: /installed as harbour/ }).waitFor();
    await other.getByRole('button', { name: 'Uninstall harbour' }).click();
    await other.getByText('The saved server').waitFor();
    await other.getByText('No suite, client, group or environment uses this server.').waitFor();
    await other.getByRole('button', { name: 'Uninstall', exact: true }).click();
    await other.getByRole('button', { name: 'Install harbour' }).waitFor();
    expect((await service.get(`${project}/servers`)).body.items).toEqual([]);

    await button('Deprecate harbour').click();
    await row(/deprecated/).waitFor();
    await button('Delete harbour').click();
    await button('Delete card').click();
    await page.getByText('No cards yet').waitFor();

    await button('Create guest token').click();
    await page.getByLabel('Expires after').selectOption('2 hours');
    await button('Create token').click();
    const once = page.getByRole('dialog', { name: 'Guest token' });
    const token = (await once.locator('pre').textContent()) as string;
    expect(token).toMatch(/^guest_/);
    const read = await fetch(`${service.origin}/api/v1/registry/directory-servers`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(read.status).toBe(200);
    await button('Done').click();
    expect(await page.content()).not.toContain(token);
    expect(complaints).toEqual([]);
  });
});
