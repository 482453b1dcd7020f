import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const ofBuilder = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright'));
const axeFile = ofBuilder.resolve('axe-core/axe.min.js');
let axe: Promise<string> | undefined;

/** Serious accessibility findings of axe on a page, in both themes. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const source = await (axe ??= readFile(axeFile, 'utf8'));
  // Loaded once for both themes, because loading takes half as long as the analysis.
  for (const frame of page.frames()) await frame.evaluate(source);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(`(${measureOnce})(${JSON.stringify([...seen])})`);
    found.push(...(await findingsIn(page, colorScheme)).map((finding) => `${colorScheme}: ${finding}`));
  }
  for (const look of await page.evaluate<number[]>('[...looks]')) seen.add(look);
  return found;
}

/** Numbers that identify the looks whose contrast was measured on earlier pages. */
const seen = new Set<number>();

/**
 * Runs in the browser. Contrast, which takes most of axe's time, is measured once for elements that look
 * alike. The look of an element depends on its tag, attributes and position, and on those of its ancestors.
 */
const measureOnce = `(seen) => {
  const numbers = new Map([[null, 1]]);
  const text = /^(?:id|href|for|name|value|title|src|d|points|aria-(?:label|labelledby|controls|describedby))$/;
  const lookOf = (element) => {
    if (numbers.has(element)) return numbers.get(element);
    const { previousElementSibling: before, nextElementSibling: after } = element;
    const place = before === null ? ' first' : after === null ? ' last' : '';
    const attributes = [...element.attributes].map(({ name, value }) => (text.test(name) ? name : name + '=' + value));
    let number = lookOf(element.parentElement);
    for (const sign of element.tagName + place + ' ' + attributes.join(' '))
      number = (number * 31 + sign.charCodeAt(0)) % 281474976710597;
    numbers.set(element, number);
    return number;
  };
  const contrast = axe._audit.rules.find(({ id }) => id === 'color-contrast');
  const { matches } = contrast;
  globalThis.looks = new Set(seen);
  contrast.matches = (node, ...more) => {
    if (looks.has(lookOf(node)) || !matches.call(contrast, node, ...more)) return false;
    looks.add(lookOf(node));
    return true;
  };
}`;

/** Findings of axe, which is loaded in the page. The dark theme is only checked for contrast. */
async function findingsIn(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  // Omits lists of passed rules and the second page that merges frames: this takes a tenth of the time.
  const axe = new AxeBuilder({ page, axeSource: 'null' })
    .options({ resultTypes: ['violations'], preload: false })
    .setLegacyMode(true);
  if (colorScheme === 'dark') axe.withRules('color-contrast');
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id} ${html} ${any[0]?.message ?? ''}`));
}
