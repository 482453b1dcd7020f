import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seriousFindings } from './support/access.ts';
import { rightPassword } from './support/browser.ts';
import { visit } from './support/chromium.ts';
import { inBrowser } from './support/console.ts';
import { pagesOf } from './support/console-pages/index.ts';
import { focusOf, outOfOrder, tabTo } from './support/keyboard.ts';

const shots = process.env['DRYDOCK_CONSOLE_SHOTS'];

inBrowser((shared) => {
  test('from the list of runs to the frame that explains a failure', async () => {
    const { page, complaints } = await visit(shared.browser, shared.service);
    const scripts: Promise<number>[] = [];
    page.on('response', (response) => {
      if (/\/assets\/.*\.js$/.test(response.url()))
        scripts.push(
          response
            .request()
            .sizes()
            .then(({ responseBodySize }) => responseBodySize),
        );
    });

    await page.goto('/console/');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('link', { name: /#1$/ }).click();
    await page.getByText('Failed: 1 of 6 cases did not pass.').waitFor();
    await page.locator('[data-trial]').first().waitFor();
    const loaded = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
    expect(loaded).toBeLessThan(190_000);

    // The first click opens the failing case. The second opens the result of its tool call.
    await page.getByRole('link', { name: 'Finds the ship on the second page, trial 1' }).first().click();
    await page.getByText('The answer does not contain "Dunlin"').first().waitFor();
    await page.getByRole('button', { name: /^list_ships, tool/ }).click();
    expect(new URL(page.url()).searchParams.get('span')).toMatch(/^tool-/);
    await page.locator('[aria-current="true"]', { hasText: 'result of' }).waitFor();
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Raw' }).waitFor();
    expect(await page.getByLabel('MCP frames', { exact: true }).textContent()).toContain('"nextOffset": 3');

    // The URL shows the same view to another person, and one key opens the next failing trial.
    const other = await visit(shared.browser, shared.service);
    await other.page.goto(page.url());
    await other.page.getByRole('heading', { name: 'Raw' }).waitFor();
    await other.page.getByRole('button', { name: 'Next failing', disabled: false }).waitFor();
    await other.page.keyboard.press('j');
    await other.page.getByRole('heading', { name: /, trial 2$/ }).waitFor();
    expect([...complaints, ...other.complaints]).toEqual([]);
  });

  test('everything that people come for is done with the keyboard alone', async () => {
    const { browser, service } = shared;
    const { page, complaints } = await visit(browser, { baseUrl: service.baseUrl });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const { keyboard } = page;
    const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor();
    const search = async (words: string): Promise<void> => {
      await keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
      await keyboard.type(words);
      await page.getByRole('option', { selected: true }).waitFor();
      await keyboard.press('Enter');
    };

    await page.goto('/console/sign-in');
    await page.getByLabel('Email').waitFor();
    await tabTo(page, /Email/);
    await keyboard.type('owner@drydock.local');
    await tabTo(page, /Password/);
    await keyboard.type(rightPassword);
    await keyboard.press('Enter');
    await heading('Default');
    await tabTo(page, /^a: Skip to content/);
    await keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('page');

    await search('demo server');
    await heading('demo');
    await tabTo(page, /^a: Tools/);
    await keyboard.press('Enter');
    await page.getByRole('link', { name: /^inspect_hull/ }).waitFor();
    await tabTo(page, /^a: inspect_hull/);
    await keyboard.press('Enter');
    await tabTo(page, /^input: ship/);
    await keyboard.type('Albatross');
    await tabTo(page, /^button: Call tool/);
    await keyboard.press('Enter');
    await page.getByRole('table', { name: 'Calls in this tab' }).getByText('answered').waitFor();

    // A dialog traps the focus, and returns it when closed.
    await search('demo suite');
    await page.getByRole('button', { name: 'Run suite' }).waitFor();
    await tabTo(page, /^button: Run suite/);
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Run demo' }).waitFor();
    for (let presses = 0; presses < 12; presses++) {
      await keyboard.press('Tab');
      // At either end of the dialog an empty element takes the focus and hands it to the other end.
      await expect.poll(() => focusOf(page)).toMatchObject({ inDialog: true, seen: true });
    }
    await keyboard.press('Escape');
    await expect.poll(async () => (await focusOf(page)).words).toBe('button: Run suite');
    await keyboard.press('Enter');
    await tabTo(page, /^button: Start run/);
    await keyboard.press('Enter');
    await page.getByText('Failed: 1 of 6 cases did not pass.').waitFor({ timeout: 60_000 });

    await page.getByRole('link', { name: 'Finds the ship on the second page, trial 1' }).first().waitFor();
    await tabTo(page, /^a: Finds the ship on the second page, trial 1/);
    await keyboard.press('Enter');
    await heading(/, trial 1$/);
    await page.getByRole('button', { name: 'Next failing', disabled: false }).waitFor();
    await keyboard.press('j');
    await heading(/, trial 2$/);
    await tabTo(page, /^button: API/);
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Use the API' }).waitFor();
    await tabTo(page, /^button: Copy curl command/);
    await keyboard.press('Enter');
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl .*\/trace/);
    await keyboard.press('Escape');
    await expect.poll(async () => (await focusOf(page)).words).toBe('button: API');
    expect(await outOfOrder(page)).toBe(0);

    await search('api keys');
    await heading('API keys');
    await tabTo(page, /^button: Create key/);
    await keyboard.press('Enter');
    await expect.poll(async () => (await focusOf(page)).words).toMatch(/^input: Name/);
    await keyboard.type('By hand');
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'The key By hand' }).waitFor();
    await tabTo(page, /^button: Done/);
    await keyboard.press('Enter');
    await expect.poll(async () => (await focusOf(page)).words).toBe('button: Create key');
    await tabTo(page, /^button: Account: /);
    await keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await keyboard.press('End');
    await keyboard.press('Enter');
    await page.waitForURL('**/console/sign-in');
    expect(complaints).toEqual([]);
  });

  test('every page is drawn within its policy, without serious findings about access, in both themes', {
    tags: ['long'],
    timeout: 480_000,
  }, async () => {
    const { page, complaints } = await visit(shared.browser, shared.service);
    const found: string[] = [];
    for (const [name, address, there] of await pagesOf(shared.service)) {
      await page.goto(address);
      await page.locator(there).first().waitFor();
      found.push(...(await seriousFindings(page)).map((finding) => `${name} ${finding}`));
    }
    found.push(...complaints);
    expect(found).toEqual([]);
  });

  test.runIf(shots !== undefined)(
    'pictures of every page',
    async () => {
      const folder = shots as string;
      await mkdir(folder, { recursive: true });
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [1440, 1024, 390]) {
          const viewport = { width, height: width < 600 ? 844 : 900 };
          const { page, complaints } = await visit(shared.browser, shared.service, { colorScheme, viewport });
          for (const [name, address, there] of await pagesOf(shared.service)) {
            await page.goto(address);
            await page.locator(there).first().waitFor();
            await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
            await page.screenshot({
              path: join(folder, `${name}-${colorScheme}-${width}.png`),
              animations: 'disabled',
            });
          }
          await page.context().close();
          expect(complaints).toEqual([]);
        }
    },
    600_000,
  );
});
