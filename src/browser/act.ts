import type { Page } from 'playwright-core';
import type { ActCommand } from './command.ts';
import { BrowserFailure } from './failure.ts';
import { type ResolvedTarget, resolveTarget, targetIn } from './targets.ts';

/** Milliseconds to wait for an element to become usable. */
const usableTimeout = 5_000;
/** Pixels. */
const scrollStep = 600;

/**
 * Performs an action on a page. Refusals are thrown before the action has any effect. Calls `begin` right before the
 * effect; it throws if the command was stopped before.
 */
export async function act(page: Page, { verb, target, value }: ActCommand, begin: () => void): Promise<void> {
  const place = target && (await resolveTarget(page, target));
  const need = (): ResolvedTarget => {
    if (place) return place;
    throw new BrowserFailure('refused', `${verb} needs a target: a ref, a selector or coordinates`);
  };
  switch (verb) {
    case 'click':
      return click(page, need(), begin);
    case 'hover':
      begin();
      return hover(page, need());
    case 'type':
      return type(page, place, given(verb, value), begin);
    case 'press':
      return press(page, place, given(verb, value), begin);
    case 'scroll':
      begin();
      return scroll(page, place, value);
    case 'drag':
      return drag(page, need(), await resolveTarget(page, targetIn(given(verb, value))), begin);
    case 'select':
      begin();
      return select(need(), given(verb, value));
    default:
      throw new BrowserFailure('refused', `${verb} is not a page action`);
  }
}

function given(verb: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new BrowserFailure('refused', `${verb} needs a value`);
}

/** Waits until the element is clickable before calling `begin`, so that an unusable element is a refusal. */
async function click(page: Page, place: ResolvedTarget, begin: () => void): Promise<void> {
  if ('point' in place) {
    begin();
    return page.mouse.click(place.point.x, place.point.y);
  }
  await place.locator.click({ trial: true, timeout: usableTimeout }).catch(notUsable);
  begin();
  await place.locator.click({ noWaitAfter: true });
}

async function hover(page: Page, place: ResolvedTarget): Promise<void> {
  if ('point' in place) return page.mouse.move(place.point.x, place.point.y);
  await place.locator.hover({ timeout: usableTimeout }).catch(notUsable);
}

async function type(
  page: Page,
  place: ResolvedTarget | undefined,
  text: string,
  begin: () => void,
): Promise<void> {
  if (place && 'locator' in place) {
    if (!(await place.locator.isEditable({ timeout: usableTimeout }).catch(notUsable)))
      throw new BrowserFailure('refused', 'The element does not accept text');
    begin();
    return place.locator.fill(text);
  }
  begin();
  if (place) await click(page, place, begin);
  await page.keyboard.insertText(text);
}

async function press(
  page: Page,
  place: ResolvedTarget | undefined,
  key: string,
  begin: () => void,
): Promise<void> {
  if (!/^(?:(?:Control|Shift|Alt|Meta|ControlOrMeta)\+)*(?:[A-Za-z][A-Za-z0-9]*|.)$/u.test(key))
    throw new BrowserFailure('refused', 'Name a key, like Enter, ArrowDown, a or Control+A');
  if (place && 'locator' in place) await place.locator.focus({ timeout: usableTimeout }).catch(notUsable);
  else if (place) await click(page, place, begin);
  begin();
  await page.keyboard.press(key).catch((error: unknown) => {
    if (String(error).includes('Unknown key') && !(place && 'point' in place))
      throw new BrowserFailure('refused', `There is no key ${key}; name one like Enter or ArrowDown`);
    throw error;
  });
}

const directions: Record<string, [number, number]> = {
  up: [0, -scrollStep],
  down: [0, scrollStep],
  left: [-scrollStep, 0],
  right: [scrollStep, 0],
};

/**
 * Scrolls an element into view. With a value, or without an element, turns the mouse wheel: a direction such as `down`,
 * pixels down, or `x,y` pixels.
 */
async function scroll(
  page: Page,
  place: ResolvedTarget | undefined,
  value: string | undefined,
): Promise<void> {
  if (place && 'locator' in place)
    await place.locator.scrollIntoViewIfNeeded({ timeout: usableTimeout }).catch(notUsable);
  if (value === undefined && place && 'locator' in place) return;
  const [x, y] = wheel(value ?? 'down');
  if (place) await hover(page, place);
  await page.mouse.wheel(x, y);
}

function wheel(value: string): [number, number] {
  const known = directions[value.trim().toLowerCase()];
  if (known) return known;
  const numbers = value.split(',').map(Number);
  if (numbers.length > 2 || value.trim() === '' || numbers.some((number) => !(Math.abs(number) <= 1_000_000)))
    throw new BrowserFailure('refused', 'Scroll up, down, left or right, or by pixels: 400, or 0,400');
  const [first = 0, second] = numbers;
  return second === undefined ? [0, first] : [first, second];
}

async function drag(page: Page, from: ResolvedTarget, to: ResolvedTarget, begin: () => void): Promise<void> {
  await hover(page, from);
  begin();
  await page.mouse.down();
  try {
    // Pages detect a drag at the second movement.
    for (let round = 0; round < 2; round++) await hover(page, to);
  } catch (error) {
    // The button is already pressed, so the action was not refused.
    throw error instanceof BrowserFailure ? new Error(error.message) : error;
  } finally {
    await page.mouse.up();
  }
}

async function select(place: ResolvedTarget, option: string): Promise<void> {
  if ('point' in place) throw new BrowserFailure('refused', 'select needs an element, not coordinates');
  await place.locator.selectOption(option, { timeout: usableTimeout }).catch(notUsable);
}

/**
 * Refuses with the first line of the error, because the rest quotes the page. Rethrows the error of a closed or crashed
 * page.
 */
function notUsable(error: unknown): never {
  const line = String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';
  if (/has been closed|crashed|Target page/i.test(line)) throw error;
  throw new BrowserFailure('refused', `The element cannot be used: ${line.slice(0, 300)}`);
}
