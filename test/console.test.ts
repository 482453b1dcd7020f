import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { visit } from './support/chromium.ts';
import { inBrowser } from './support/console.ts';
import { pagesOf } from './support/console-pages/index.ts';

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

    // The first click: the failing case. The second: what its tool call answered.
    await page.getByRole('link', { name: 'Finds the ship on the second page, trial 1' }).first().click();
    await page.getByText('The answer does not contain "Dunlin"').first().waitFor();
    await page.getByRole('button', { name: /^list_ships, tool/ }).click();
    expect(new URL(page.url()).searchParams.get('span')).toMatch(/^tool-/);
    await page.locator('[aria-current="true"]', { hasText: 'result of' }).waitFor();
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Raw' }).waitFor();
    expect(await page.getByLabel('MCP frames', { exact: true }).textContent()).toContain('"nextOffset": 3');

    // The same address shows the same to somebody else, and the next failing trial is one key away.
    const other = await visit(shared.browser, shared.service);
    await other.page.goto(page.url());
    await other.page.getByRole('heading', { name: 'Raw' }).waitFor();
    await other.page.getByRole('button', { name: 'Next failing', disabled: false }).waitFor();
    await other.page.keyboard.press('j');
    await other.page.getByRole('heading', { name: /, trial 2$/ }).waitFor();
    expect([...complaints, ...other.complaints]).toEqual([]);
  });

  test('every page is drawn within its policy, without serious findings about access, in both themes', async () => {
    const { page, complaints } = await visit(shared.browser, shared.service);
    const found: string[] = [];
    for (const [name, address, there] of await pagesOf(shared.service)) {
      await page.goto(address);
      await page.locator(there).first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const findings = await seriousFindings(page, colorScheme);
        found.push(...findings.map((finding) => `${name} ${colorScheme}: ${finding}`));
      }
    }
    found.push(...complaints);
    expect(found).toEqual([]);
  }, 480_000);

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

/** What axe finds; in the dark only what the theme changes. */
async function seriousFindings(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  // Without lists of what is right, and without a second page to sum up frames: a tenth of the time.
  const axe = new AxeBuilder({ page })
    .options({ resultTypes: ['violations'], preload: false })
    .setLegacyMode(true);
  if (colorScheme === 'dark') axe.withRules('color-contrast');
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id} ${html} ${any[0]?.message ?? ''}`));
}
