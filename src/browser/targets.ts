import type { Locator, Page } from 'playwright-core';
import type { ActTarget } from './command.ts';
import { BrowserFailure } from './failure.ts';

/** Refs in snapshots, of the page or of a frame in it. */
const refShape = /^(?:f\d+)?e\d+$/;

export type ResolvedTarget = { locator: Locator } | { point: { x: number; y: number } };

/** The single element or point that a target names, which must exist now. */
export async function resolveTarget(page: Page, target: ActTarget): Promise<ResolvedTarget> {
  if ('coordinates' in target) {
    const [x, y] = target.coordinates;
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    if (!(x >= 0 && y >= 0 && x < width && y < height))
      throw new BrowserFailure('refused', `The page is ${width} by ${height} pixels; ${x},${y} is not on it`);
    return { point: { x, y } };
  }
  return { locator: await elementOf(page, target) };
}

export async function elementOf(
  page: Page,
  target: { ref: string } | { selector: string },
): Promise<Locator> {
  if ('ref' in target) {
    if (!refShape.test(target.ref))
      throw new BrowserFailure('refused', `${target.ref} is not a ref; observe a11y shows them, like e12`);
    const locator = page.locator(`aria-ref=${target.ref}`);
    if ((await locator.count().catch(() => 0)) === 1) return locator;
    throw new BrowserFailure('refused', `Element ${target.ref} no longer exists. Observe a11y again`);
  }
  const locator = page.locator(target.selector);
  const found = await locator.count().catch(() => {
    throw new BrowserFailure('refused', `${target.selector.slice(0, 200)} is not a selector`);
  });
  if (found === 1) return locator;
  throw new BrowserFailure(
    'refused',
    `${found === 0 ? 'No element matches' : `${found} elements match`} ${target.selector.slice(0, 200)}; one must`,
  );
}

/** Parses the second target of a drag: a ref, a point as `x,y`, or a selector. */
export function targetIn(value: string): ActTarget {
  const [, x, y] = /^\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)\s*$/.exec(value) ?? [];
  if (x !== undefined && y !== undefined) return { coordinates: [Number(x), Number(y)] };
  return refShape.test(value) ? { ref: value } : { selector: value };
}
