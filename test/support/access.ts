import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const ofBuilder = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright'));
const axeFile = ofBuilder.resolve('axe-core/axe.min.js');
let axe: Promise<string> | undefined;

/** What axe finds on a page as it is, in both themes. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const source = await (axe ??= readFile(axeFile, 'utf8'));
  // Once for both themes: loading it takes as long as half of what it then looks at.
  for (const frame of page.frames()) await frame.evaluate(source);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await findingsIn(page, colorScheme)).map((finding) => `${colorScheme}: ${finding}`));
  }
  return found;
}

/** What axe, which the page has, finds; in the dark only what the theme changes. */
async function findingsIn(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  // Without lists of what is right, and without a second page to sum up frames: a tenth of the time.
  const axe = new AxeBuilder({ page, axeSource: 'null' })
    .options({ resultTypes: ['violations'], preload: false })
    .setLegacyMode(true);
  if (colorScheme === 'dark') axe.withRules('color-contrast');
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id} ${html} ${any[0]?.message ?? ''}`));
}
