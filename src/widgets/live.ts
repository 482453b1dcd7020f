import { setTimeout as delay } from 'node:timers/promises';
import type { Frame, Locator, Page } from 'playwright-core';
import { snapshot } from '../browser/observe.ts';
import type { Recording } from '../browser/recording.ts';
import type { BrowserSession } from '../browser/session.ts';
import type { Step, WidgetAssertion } from '../contract/eval-steps.ts';
import { withTimeout } from '../platform/flow/deadline.ts';
import { bounds, cut, timeouts } from './bounds.ts';
import type { Bridge, WidgetCall } from './bridge.ts';
import { quoted, type Target, wordsOf } from './describe-step.ts';
import { focusFrame, seenOfFrame, testIds } from './in-page.ts';
import { elementsOf, type SnapshotElement } from './snapshot.ts';

export type WidgetAction = Extract<Step, { kind: 'interact' }>['action'];

export interface WidgetSnapshot {
  mode: 'a11y';
  tree: string;
  elements: SnapshotElement[];
  capturedAt: number;
  truncated?: boolean;
  note?: string;
}

const maxTestIds = 200;
const defaultScroll = 400;
/** Milliseconds between two checks while waiting for a condition. */
const lookEvery = 50;

/**
 * A rendered widget, for inspection and interaction. Problems are returned as text; only failures of the browser are
 * thrown.
 */
export class LiveWidget {
  private readonly session: BrowserSession;
  private readonly page: Page;
  private readonly bridge: Bridge;

  constructor(session: BrowserSession, page: Page, bridge: Bridge) {
    this.session = session;
    this.page = page;
    this.bridge = bridge;
  }

  /** The tool calls of the widget so far. */
  get calls(): readonly WidgetCall[] {
    return this.bridge.calls;
  }

  /** Console errors and uncaught exceptions of the widget. */
  get consoleErrors(): string[] {
    const errors = this.session.console.filter(({ level }) => level === 'error');
    return errors.slice(0, bounds.entries).map(({ text }) => cut(text));
  }

  /**
   * A screenshot of the widget's frame. Uses the browser protocol directly, because the library prepares the page
   * first, which takes longer.
   */
  screenshot(): Promise<Buffer> {
    return this.session.during(async () => {
      const clip = await this.page.evaluate(seenOfFrame);
      const devtools = await this.page.context().newCDPSession(this.page);
      try {
        const { data } = await devtools.send('Page.captureScreenshot', {
          format: 'png',
          optimizeForSpeed: true,
          clip: { ...clip, scale: 1 },
        });
        return Buffer.from(data, 'base64');
      } finally {
        await devtools.detach().catch(() => {});
      }
    }, timeouts.look);
  }

  snapshot(): Promise<WidgetSnapshot> {
    return this.session.during(async () => {
      const body = this.frame().locator('body');
      const { text: tree, truncated } = await snapshot(this.page, body, 'all');
      const ids: unknown = await body.evaluate(testIds, maxTestIds);
      const known = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').slice(0, maxTestIds) : [];
      return {
        mode: 'a11y',
        tree,
        elements: elementsOf(tree, known),
        capturedAt: Date.now(),
        ...(truncated && { truncated, note: 'The tree was truncated' }),
      };
    }, timeouts.look);
  }

  /** Performs the action of a step. Returns a problem, or undefined. */
  async act(action: WidgetAction, signal: AbortSignal): Promise<string | undefined> {
    if (action.kind === 'wait') {
      await delay(action.ms, undefined, { signal }).catch(() => {});
      return undefined;
    }
    const problem = await this.session.during(() => this.perform(action));
    // Requests that the widget makes in response belong to the step.
    if (problem === undefined) await withTimeout(timeouts.element, this.bridge.quiet(), () => {});
    return problem;
  }

  /** Checks the assertion of a step. Returns a problem, or undefined. */
  assert(assertion: WidgetAssertion): Promise<string | undefined> {
    return this.session.during(() => this.check(assertion));
  }

  /** Ends the recording. The files exist until `close`. */
  recording(): Promise<Recording | undefined> {
    return this.session.recording();
  }

  async close(): Promise<void> {
    this.session.leave();
    await withTimeout(timeouts.teardown, this.bridge.teardown(), () => {});
    await this.session.close();
  }

  private async perform(action: Exclude<WidgetAction, { kind: 'wait' }>): Promise<string | undefined> {
    const { mouse, keyboard } = this.page;
    switch (action.kind) {
      case 'click':
        return this.use(action.target, (element) =>
          action.clickType === 'double'
            ? element.dblclick({ timeout: timeouts.element })
            : element.click({ button: action.clickType ?? 'left', timeout: timeouts.element }),
        );
      case 'type':
        return this.use(action.target, (element) => element.fill(action.text, { timeout: timeouts.element }));
      case 'key':
        await this.page.locator('iframe').evaluate(focusFrame);
        return problemOf(keyboard.press(action.key));
      case 'scroll': {
        const box = await this.page.locator('iframe').boundingBox();
        const { width = 0, height = 0 } = this.page.viewportSize() ?? {};
        await mouse.move(width / 2, Math.min(box?.height ?? height, height) / 2);
        const by = action.amount ?? defaultScroll;
        return problemOf(mouse.wheel(0, action.direction === 'up' ? -by : by));
      }
    }
  }

  private async check(assertion: WidgetAssertion): Promise<string | undefined> {
    switch (assertion.kind) {
      case 'textVisible': {
        const place = this.frame().getByText(assertion.text).filter({ visible: true }).first();
        return (await appears(place)) ? undefined : `The text ${quoted(assertion.text)} is not visible`;
      }
      case 'elementVisible': {
        const place = this.locate(assertion.target).filter({ visible: true }).first();
        return (await appears(place)) ? undefined : `${wordsOf(assertion.target)} is not visible`;
      }
      case 'elementHidden':
        return this.hidden(assertion.target);
      case 'inputValue':
        return this.holds(assertion.target, assertion.equals);
      case 'widgetToolCalled': {
        const called = (): boolean =>
          this.calls.some(({ toolName }) => toolName === assertion.calledToolName);
        if (await becomesTrue(async () => called())) return undefined;
        const names = [...new Set(this.calls.map(({ toolName }) => toolName))].slice(0, 10).join(', ');
        return `The widget did not call ${assertion.calledToolName}; it called ${names || 'no tool'}`;
      }
    }
  }

  private async hidden(target: Target): Promise<string | undefined> {
    const place = this.locate(target).filter({ visible: true });
    const gone = await becomesTrue(async () => (await place.count()) === 0);
    return gone ? undefined : `${wordsOf(target)} is visible`;
  }

  private async holds(target: Target, wanted: string): Promise<string | undefined> {
    let value: string | undefined;
    const problem = await this.use(target, async (element) => {
      await becomesTrue(async () => {
        value = await element.inputValue({ timeout: timeouts.element });
        return value === wanted;
      });
    });
    if (problem !== undefined || value === wanted) return problem;
    return `${wordsOf(target)} has the value ${quoted(value ?? '')}, not ${quoted(wanted)}`;
  }

  /** Acts on the single element that a target names. */
  private async use(target: Target, work: (element: Locator) => Promise<void>): Promise<string | undefined> {
    const place = this.locate(target);
    if (!(await appears(place.filter({ visible: true }).first())))
      return `No visible element matches ${wordsOf(target)}`;
    const found = await place.count();
    if (found > 1) return `${found} elements match ${wordsOf(target)}. Select one with nth, from 0`;
    return problemOf(work(place));
  }

  /** Accesses the frame directly, because the library would also prepare the surrounding page. */
  private frame(): Frame {
    return this.page.mainFrame().childFrames()[0] as Frame;
  }

  private locate({ role, text, css, testId, nth }: Target): Locator {
    const frame = this.frame();
    const { name, exact } = role ?? {};
    const named = { ...(name !== undefined && { name }), ...(exact !== undefined && { exact }) };
    const ways = [
      // Authors may write any role; an unknown one matches nothing.
      role && frame.getByRole(role.role as Parameters<Page['getByRole']>[0], named),
      text === undefined ? undefined : frame.getByText(text),
      css === undefined ? undefined : frame.locator(`css=${css}`),
      testId === undefined ? undefined : frame.getByTestId(testId),
    ].filter((way) => way !== undefined);
    const [first, ...others] = ways as [Locator, ...Locator[]];
    const place = others.reduce((both, other) => both.and(other), first);
    return nth === undefined ? place : place.nth(nth);
  }
}

async function appears(place: Locator): Promise<boolean> {
  const problem = await problemOf(place.waitFor({ state: 'visible', timeout: timeouts.element }));
  return problem === undefined;
}

async function becomesTrue(isSo: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + timeouts.element;
  for (;;) {
    if (await isSo()) return true;
    if (performance.now() > until) return false;
    await delay(lookEvery);
  }
}

/** Returns the first line of the library's error, because the rest quotes the page. */
async function problemOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    const [first = ''] = String(error instanceof Error ? error.message : error).split('\n');
    if (/has been closed|crashed|Target page/i.test(first)) throw error;
    return `The action failed: ${first.slice(0, 300)}`;
  }
}
