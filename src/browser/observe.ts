import type { Locator, Page } from 'playwright-core';
import type { Observation, ObserveCommand } from './command.ts';
import { BrowserFailure } from './failure.ts';
import type { GuardProxy } from './guard-proxy.ts';
import { countElements, readElement } from './in-page.ts';
import type { Logs } from './logs.ts';
import type { PageTools } from './page-tools.ts';
import type { Tab } from './tabs.ts';
import { elementOf } from './targets.ts';

/** Maximum characters, by mode and field. */
const maxLengths = { url: 8_192, text: 200_000, dom: 500_000, a11y: 200_000, title: 300 };
/** Maximum elements of a snapshot. A larger one takes seconds and is useless. */
const maxElements = 20_000;

/** The parts of a session that observations read. */
export interface Observed {
  logs: Logs;
  pageTools: PageTools;
  guard: GuardProxy;
}

export async function observe(
  tab: Tab,
  command: ObserveCommand,
  { logs, pageTools, guard }: Observed,
): Promise<Observation> {
  const { page } = tab;
  const { mode, requestId } = command;
  switch (mode) {
    case 'console': {
      const { entries, dropped } = logs.console;
      return { mode, entries: entries.filter(({ tabId }) => tabId === tab.id || tabId === ''), dropped };
    }
    case 'network': {
      const { entries, dropped } = logs.network;
      const one = requestId === undefined ? undefined : logs.request(requestId);
      if (requestId !== undefined && !one)
        throw new BrowserFailure('refused', `There is no request ${requestId}; observe network lists them`);
      const shown = one ? [one] : entries.filter(({ tabId }) => tabId === tab.id || tabId === '');
      return { mode, entries: shown.map((entry) => ({ ...entry })), dropped, refused: [...guard.refusals] };
    }
    case 'dialog':
      return { mode, dialogs: tab.dialogs.records.map((record) => ({ ...record })) };
    case 'url':
      return {
        mode,
        url: page.url().slice(0, maxLengths.url),
        title: (await page.title()).slice(0, maxLengths.title),
      };
    case 'page_tools':
      return { mode, tools: await pageTools.list(page) };
    case 'screenshot':
      return screenshot(page, await rootOf(page, command));
    case 'a11y':
      return snapshot(page, await rootOf(page, command), command.filter ?? 'all');
    case 'text':
    case 'dom': {
      const root = (await rootOf(page, command)) ?? page.locator(':root');
      const read: Record<'text' | 'truncated', unknown> = await root.evaluate(readElement, {
        source: mode === 'dom',
        most: maxLengths[mode],
      });
      // A page can override the properties of its elements.
      const text = typeof read.text === 'string' ? read.text : '';
      return { mode, text: text.slice(0, maxLengths[mode]), truncated: read.truncated === true };
    }
  }
}

async function rootOf(page: Page, { rootRef, rootSelector }: ObserveCommand): Promise<Locator | undefined> {
  if (rootRef !== undefined) return elementOf(page, { ref: rootRef });
  return rootSelector === undefined ? undefined : elementOf(page, { selector: rootSelector });
}

/** The accessibility tree, including frames, with refs for use in commands. */
export async function snapshot(
  page: Page,
  root: Locator | undefined,
  filter: 'interactive' | 'all',
): Promise<Extract<Observation, { mode: 'a11y' | 'text' | 'dom' }>> {
  const elements = await (root ?? page.locator(':root')).evaluate(countElements);
  if (elements > maxElements)
    throw new BrowserFailure(
      'refused',
      `${root ? 'The selected part of the page' : 'The page'} has ${elements} elements, more than one snapshot allows. Set rootSelector, or observe text`,
    );
  const whole = await (root ?? page).ariaSnapshot({ mode: 'ai' });
  const text = filter === 'interactive' ? interactiveLines(whole) : whole;
  return { mode: 'a11y', text: text.slice(0, maxLengths.a11y), truncated: text.length > maxLengths.a11y };
}

const interactive =
  /^- '?(?:button|link|textbox|searchbox|checkbox|radio|switch|combobox|listbox|option|menuitem\w*|tab|slider|spinbutton|treeitem)\b/;

/** Interactive elements only, without their surroundings. */
function interactiveLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => interactive.test(line) || line.includes('[cursor=pointer]'))
    .join('\n');
}

/** A screenshot of the visible part of the page or element, limited by the size of the window. */
export async function screenshot(
  page: Page,
  root?: Locator,
): Promise<Extract<Observation, { mode: 'screenshot' }>> {
  const clip = root && (await visiblePart(page, root));
  const png = await page.screenshot({ type: 'png', caret: 'initial', ...(clip && { clip }) });
  return { mode: 'screenshot', png, width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

async function visiblePart(page: Page, root: Locator) {
  await root.scrollIntoViewIfNeeded();
  const box = await root.boundingBox();
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  if (!box || box.x >= width || box.y >= height || box.x + box.width <= 0 || box.y + box.height <= 0)
    throw new BrowserFailure('refused', 'The element cannot be seen');
  const [x, y] = [Math.max(0, box.x), Math.max(0, box.y)];
  return {
    x,
    y,
    width: Math.max(1, Math.min(box.x + box.width, width) - x),
    height: Math.max(1, Math.min(box.y + box.height, height) - y),
  };
}
