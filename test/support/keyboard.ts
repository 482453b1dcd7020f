import type { Page } from 'playwright-core';

interface Focus {
  /** The element and its name, as `button: Call tool`. */
  words: string;
  /** Whether the focus is visible. */
  seen: boolean;
  inDialog: boolean;
}

/** Runs in the browser, whose types these tests do not have. */
const facts = `(() => {
  const focused = document.activeElement;
  const named = focused.ariaLabel ?? focused.labels?.[0]?.textContent ?? focused.textContent;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const { width, height, bottom, top } = focused.getBoundingClientRect();
  const outlined = outlineStyle !== 'none' && outlineWidth !== '0px';
  return {
    words: focused.tagName.toLowerCase() + ': ' + named.trim(),
    seen: outlined && width > 0 && height > 0 && bottom > 0 && top < innerHeight,
    inDialog: focused.closest('[role=dialog]') !== null,
  };
})()`;

/** The element with the keyboard focus. */
export function focusOf(page: Page): Promise<Focus> {
  return page.evaluate<Focus>(facts);
}

const maxPresses = 120;

/** Presses Tab until a matching element has the focus. Each element on the way must show its focus. */
export async function tabTo(page: Page, wanted: RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < maxPresses) {
    await page.keyboard.press('Tab');
    const { words, seen } = await focusOf(page);
    // Between the end of the page and its beginning, the browser itself has the focus.
    if (!seen && !words.startsWith('body:')) throw new Error(`Nobody sees that the focus is at ${words}`);
    if (wanted.test(words)) return;
    passed.push(words.slice(0, 60));
  }
  throw new Error(`Tab does not lead to ${String(wanted)}, but to ${passed.join('; ')}`);
}

/** Number of elements with a positive tabindex, which overrides the order of the page. */
export function outOfOrder(page: Page): Promise<number> {
  return page.locator('[tabindex]:not([tabindex="0"]):not([tabindex^="-"])').count();
}
