// @module-tag long
// @module-tag chromium
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startBrowser, visit } from './support/chromium.ts';
import { startConsole } from './support/console.ts';
import { program } from './support/process.ts';

const typedSecret = 'a value that nobody sees again';

test('a server is pasted, examined, called and deleted; an environment is made and changed', async () => {
  const [service, browser] = await Promise.all([startConsole(), startBrowser()]);
  const { api, projectId } = service;
  const { page, complaints } = await visit(browser, service);
  const at = `/console/projects/${projectId}`;

  // The overview shows failures and leads to the form that adds a server.
  await page.goto(at);
  await page.getByText('trials passed').first().waitFor();
  await page.getByRole('link', { name: 'Servers', exact: true }).click();
  await page.getByRole('button', { name: 'Add server', exact: true }).click();
  await page.getByRole('button', { name: 'Pasted JSON' }).click();
  await page.getByLabel('Configuration').fill(configuration());
  expect(await page.getByRole('list', { name: 'Detected servers' }).textContent()).toContain('HARBOUR_KEY');
  await page.getByRole('button', { name: 'Add server', exact: true }).last().click();

  // The server's check passes, and the pasted secret is neither on the page nor in API responses.
  await page.getByRole('heading', { name: 'harbour', exact: true }).waitFor();
  await page.getByText('ready', { exact: true }).waitFor();
  expect(await page.content()).not.toContain(typedSecret);
  const saved = (await api.listProjectServers({ projectId })).items.find(({ name }) => name === 'harbour');
  expect(saved).toMatchObject({ transportType: 'stdio', envNames: ['HARBOUR_KEY'] });
  const serverId = saved?.id as string;

  // A tool is called from its form, and the call becomes a case.
  await page.getByRole('link', { name: 'Tools', exact: true }).click();
  expect(await page.getByLabel('About this server').locator('[aria-current]').allTextContents()).toEqual([
    'Tools',
  ]);
  await page.getByRole('link', { name: /^inspect_hull/ }).click();
  await page.getByRole('textbox', { name: 'ship', exact: true }).fill('Albatross');
  await page.getByRole('button', { name: 'Call tool' }).click();
  const calls = page.getByRole('table', { name: 'Calls in this tab' });
  await calls.getByText('answered').waitFor();
  await calls.getByRole('button', { name: 'Call again' }).click();
  await expect.poll(() => calls.getByText('answered').count()).toBe(2);
  await page.getByRole('button', { name: 'Raw', exact: true }).click();
  const frame = await page.getByLabel('message to the server', { exact: true }).textContent();
  expect(JSON.parse(frame ?? '')).toMatchObject({
    method: 'tools/call',
    params: { name: 'inspect_hull', arguments: { ship: 'Albatross' } },
  });
  await page.getByRole('button', { name: 'Save as eval case' }).click();
  await page.getByLabel('Title').fill('Inspects the Albatross');
  await page.getByLabel('Result contains').fill('rustyPlates');
  await page.getByRole('button', { name: 'Save case' }).click();
  await page.getByText('Case “Inspects the Albatross” saved').waitFor();
  const [suite] = (await api.listEvalSuites({ projectId })).items;
  const { items: cases } = await api.listEvalCases({ projectId, suiteId: suite?.id as string });
  expect(cases.find(({ title }) => title === 'Inspects the Albatross')).toMatchObject({
    steps: [{ kind: 'toolCall', serverName: 'harbour', arguments: { ship: 'Albatross' } }],
  });

  await makeEnvironment(page, at);
  const [environment] = (await api.listEnvironments({ projectId })).items;
  expect(environment).toMatchObject({ name: 'Staging', revision: 2, description: 'For the night' });
  expect(environment?.secretSelection?.secretIds).toHaveLength(1);

  // The dialog that deletes a server lists its uses first.
  const { id: group } = await api.createServerGroup({
    projectId,
    body: { name: 'Berths', serverIds: [serverId] },
  });
  await page.goto(`${at}/servers/${serverId}?tab=settings`);
  await page.getByRole('button', { name: 'Delete server' }).click();
  const uses = page.getByRole('list', { name: 'Used by' });
  await uses.waitFor();
  expect(await uses.textContent()).toContain('group Berths');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete server' }).click();
  await page.getByText('Server harbour deleted').waitFor();
  expect((await api.listProjectServers({ projectId })).items.map(({ id }) => id)).not.toContain(serverId);
  expect((await api.listServerGroups({ projectId })).items.map(({ id }) => id)).toContain(group);
  expect(complaints).toEqual([]);
});

/** The format that Claude, Cursor and other clients store. */
function configuration(): string {
  return JSON.stringify({
    mcpServers: {
      harbour: {
        command: process.execPath,
        args: [program, 'demo-server', '--stdio'],
        env: { HARBOUR_KEY: typedSecret },
      },
    },
  });
}

/** Creates a secret, a client and an environment, edits the environment and reads its changes. */
async function makeEnvironment(page: Page, at: string): Promise<void> {
  await page.goto(`${at}/secrets`);
  await page.getByRole('button', { name: 'Add secret' }).click();
  await page.getByLabel('Name').fill('API_TOKEN');
  await page.getByLabel('Value').fill(typedSecret);
  await page.getByRole('button', { name: 'Store secret' }).click();
  await page.getByRole('table', { name: 'Secrets' }).getByText('API_TOKEN').waitFor();
  expect(await page.content()).not.toContain(typedSecret);

  await page.getByRole('link', { name: 'Environments', exact: true }).click();
  await page.getByRole('button', { name: 'Create environment' }).click();
  await page.getByRole('link', { name: 'Create client' }).click();
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByRole('heading', { name: 'Configuration' }).waitFor();

  await page.goto(`${at}/environments?add=true`);
  await page.getByLabel('Name').fill('Staging');
  await page.getByRole('button', { name: 'Create environment' }).click();
  await page.getByText('Current revision: 1.').waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Description').fill('For the night');
  await page.getByRole('checkbox', { name: 'API_TOKEN' }).check();
  await page.getByRole('button', { name: 'Save changes' }).click();
  const changes = page.getByLabel('From revision 1 to 2');
  await changes.waitFor();
  expect((await changes.locator('dt').allTextContents()).toSorted()).toEqual(['Description', 'Secrets']);
  expect(await changes.textContent()).toContain('API_TOKEN');
}
