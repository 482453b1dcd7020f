import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { BrowserEngine } from '../browser/engine.ts';
import { BrowserFailure } from '../browser/failure.ts';
import type { BrowserSession } from '../browser/session.ts';
import { withTimeout } from '../platform/flow/deadline.ts';
import { isBlank } from './blank.ts';
import { bounds, cut, timeouts } from './bounds.ts';
import { type Answered, Bridge, type WidgetCall } from './bridge.ts';
import { cspHeader, originsOf } from './csp.ts';
import type { WidgetSource } from './declared.ts';
import { drawn, resizeFrame, sendMessage, showWidget, takeMessages } from './in-page.ts';
import { LiveWidget, type WidgetSnapshot } from './live.ts';
import { withOpenAi } from './open-ai.ts';
import { frameOf, hostPage, ownProcess } from './pages.ts';

type WidgetStatus =
  | 'rendered'
  | 'resource_read_failed'
  | 'mount_failed'
  | 'bridge_timeout'
  | 'render_error'
  | 'blank_screenshot'
  | 'screenshot_failed'
  | 'browser_unavailable';

export interface WidgetRequest {
  source: WidgetSource;
  /** The tool as declared by its server, with the arguments and result of the call. */
  tool: unknown;
  input: Record<string, unknown>;
  result: Record<string, unknown>;
  /** Requests of the widget. The callee checks whether they are allowed. */
  callTool: (name: string, args: Record<string, unknown>) => Promise<Answered>;
  readResource: (uri: string) => Promise<Answered>;
  /** Whether to add `window.openai`. Default: if the widget was written for it. */
  openAiCompat?: boolean | undefined;
  viewport?: { width: number; height: number } | undefined;
  /** Milliseconds for the widget to initialize. */
  timeout?: number | undefined;
  record?: boolean | undefined;
  /** Whether to wait for a free browser session. */
  waitForRoom?: boolean | undefined;
  /** The version of Drydock, which the widget receives. */
  version: string;
  signal: AbortSignal;
}

/** The observations of a rendered widget. */
export interface WidgetObservation {
  status: WidgetStatus;
  resourceUri: string;
  /** Why it was not rendered. */
  problem?: string;
  bridgeInitialized: boolean;
  consoleErrors: string[];
  blockedRequests: { url: string; reason: string }[];
  /** Milliseconds from opening the page until the result was drawn. */
  renderMs?: number;
  totalMs: number;
  snapshot?: WidgetSnapshot;
  screenshot?: Buffer;
  calls: readonly WidgetCall[];
  /** Other requests to the host. */
  requests: readonly string[];
  /** Messages that were too many, too long or not JSON. */
  droppedMessages: number;
}

export interface RenderedWidget {
  observation: WidgetObservation;
  /** The caller must close it. */
  widget?: LiveWidget;
}

const defaultViewport = { width: 1024, height: 768 };
/** Chromium's console message for a policy violation. */
const violation = /'([^'\s]+)' violates the following Content Security Policy directive: "([^"]+)"/;
/** Milliseconds before a picture of a single color is retaken, since the widget may still be drawing. */
const blankAgain = [150, 400, 800];

/**
 * Renders a widget in its own browser session, which can reach only what the widget declares. Rejects if there is no
 * free session, and when the signal aborts.
 */
export async function renderWidget(engine: BrowserEngine, request: WidgetRequest): Promise<RenderedWidget> {
  const began = performance.now();
  const { source, viewport = defaultViewport, record, signal } = request;
  try {
    const session = await engine.open({
      policy: { mode: 'allow_all', originAllowlist: originsOf(source.csp) },
      viewport,
      page: hostPage,
      record,
      ...(request.waitForRoom && { waitForRoom: signal }),
    });
    const mount = new Mount(session, request, viewport);
    try {
      return await mount.render(began);
    } catch (error) {
      await session.close();
      throw error;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof BrowserFailure) || error.kind === 'capacity') throw error;
    return {
      observation: unseen('browser_unavailable', source.uri, error.message, performance.now() - began),
    };
  }
}

/** The observation for a widget that could not be rendered. */
export function unseen(
  status: 'browser_unavailable' | 'resource_read_failed',
  resourceUri: string,
  problem: string,
  ms: number,
): WidgetObservation {
  return {
    status,
    resourceUri,
    problem: cut(problem),
    bridgeInitialized: false,
    consoleErrors: [],
    blockedRequests: [],
    totalMs: Math.round(ms),
    calls: [],
    requests: [],
    droppedMessages: 0,
  };
}

interface Looked {
  status: WidgetStatus;
  problem?: string;
  screenshot?: Buffer;
  snapshot?: WidgetSnapshot;
}

/** Renders one widget into its page. */
class Mount {
  private readonly session: BrowserSession;
  private readonly request: WidgetRequest;
  private readonly viewport: { width: number; height: number };
  private readonly label = `w${randomBytes(8).toString('hex')}`;
  private readonly fetched: Promise<void>;
  private wasFetched = (): void => {};
  private uncaught: string | undefined;
  private crashed = false;
  private dropped = 0;

  constructor(session: BrowserSession, request: WidgetRequest, viewport: { width: number; height: number }) {
    this.session = session;
    this.request = request;
    this.viewport = viewport;
    this.fetched = new Promise((resolve) => {
      this.wasFetched = resolve;
    });
  }

  async render(began: number): Promise<RenderedWidget> {
    const { source, signal } = this.request;
    signal.throwIfAborted();
    const page = await this.session.page();
    const bridge = this.bridgeTo(page);
    const widget = new LiveWidget(this.session, page, bridge);
    const opened = performance.now();
    const outcome = await this.mount(page, bridge);
    const renderMs = Math.round(performance.now() - opened);
    signal.throwIfAborted();
    const looked: Looked = outcome.status === 'rendered' ? await this.look(widget) : outcome;
    const observation: WidgetObservation = {
      ...looked,
      resourceUri: source.uri,
      bridgeInitialized: bridge.initialized,
      consoleErrors: widget.consoleErrors,
      blockedRequests: this.blockedRequests(),
      ...(outcome.status === 'rendered' && { renderMs }),
      totalMs: Math.round(performance.now() - began),
      calls: bridge.calls,
      requests: bridge.requests,
      droppedMessages: this.dropped,
    };
    return { observation, widget };
  }

  private bridgeTo(page: Page): Bridge {
    const { tool, input, result, callTool, readResource, version, source } = this.request;
    // A closed page receives nothing, and is detected elsewhere.
    const to = (work: () => Promise<void>): Promise<void> => this.session.during(work).catch(() => {});
    return new Bridge({
      tool,
      input,
      result,
      csp: source.csp,
      viewport: this.viewport,
      version,
      callTool,
      readResource,
      send: (text) => to(() => page.evaluate(sendMessage, text)),
      resize: (height) => void to(() => page.evaluate(resizeFrame, height)),
    });
  }

  private async mount(page: Page, bridge: Bridge): Promise<Looked> {
    const { timeout = timeouts.render, signal } = this.request;
    const origin = this.serve();
    const over = new Promise<'over'>((resolve) => {
      const crash = (): void => {
        this.crashed = true;
        resolve('over');
      };
      page.on('crash', crash);
      page.on('pageerror', (error) => {
        if (this.uncaught === undefined) setTimeout(() => resolve('over'), timeouts.afterError).unref();
        this.uncaught ??= cut(error.message);
      });
      signal.addEventListener('abort', () => resolve('over'), { once: true });
      void this.session.ended.then(() => resolve('over'));
    });
    try {
      await this.session.during(() => page.evaluate(showWidget, frameOf(origin, this.request.source)));
    } catch (error) {
      if (error instanceof BrowserFailure && (error.kind === 'crashed' || error.kind === 'closed'))
        throw error;
      return { status: 'mount_failed', problem: cut(String(error instanceof Error ? error.message : error)) };
    }
    void this.pump(page, bridge);
    // The timeout starts when the frame has requested the widget.
    await withTimeout(timeouts.render, Promise.race([this.fetched, over]), () => {});
    const first = await withTimeout(timeout, Promise.race([bridge.ready, over]), () => 'late' as const);
    await this.session.during(async () => {});
    if (this.crashed) return { status: 'render_error', problem: 'The page of the widget crashed' };
    if (first !== undefined) return this.neverReady(page, timeout);
    const { heard } = bridge;
    if (!(await this.drawn(page, timeouts.answer)))
      return {
        status: 'render_error',
        problem: 'The widget does not respond: one of its scripts does not end',
      };
    if (bridge.heard > heard) {
      await withTimeout(timeouts.draw, bridge.quiet(), () => {});
      await this.drawn(page, timeouts.draw);
    }
    return { status: 'rendered' };
  }

  /** Serves the widget on an origin that exists only in this session. */
  private serve(): string {
    const { source, openAiCompat = source.openAi, input, result } = this.request;
    const html = openAiCompat
      ? withOpenAi(source.html, { input, result, height: bounds.height })
      : source.html;
    return this.session.serve(this.label, ({ url }) =>
      url.pathname === '/' ? this.widgetPage(html) : { status: 404, body: '' },
    );
  }

  private widgetPage(html: string): { headers: Record<string, string>; body: string } {
    this.wasFetched();
    const policy = cspHeader(this.request.source.csp);
    return { headers: { ...ownProcess, 'content-security-policy': policy }, body: html };
  }

  private neverReady(page: Page, timeout: number): Looked {
    const [, frame] = page.frames();
    if (frame && !/^(?:$|about:blank)/.test(frame.url()) && !frame.url().startsWith(`http://${this.label}.`))
      return { status: 'mount_failed', problem: cut(`The widget navigated to ${frame.url()}`) };
    if (this.uncaught !== undefined) return { status: 'render_error', problem: this.uncaught };
    return {
      status: 'bridge_timeout',
      problem: `The widget did not send ui/notifications/initialized within ${timeout} ms`,
    };
  }

  /** Fetches the messages of the widget while its page exists. */
  private async pump(page: Page, bridge: Bridge): Promise<void> {
    try {
      for (;;) {
        const { messages, dropped } = await this.session.during(() => page.evaluate(takeMessages));
        this.dropped += dropped;
        for (const message of messages) bridge.receive(message);
      }
    } catch {
      // The page is gone or does not respond.
    }
  }

  /** Returns false if the widget does not draw in time. */
  private async drawn(page: Page, timeout: number): Promise<boolean> {
    const frame = page.frames().find((one) => one.url().startsWith(`http://${this.label}.`));
    const draws = this.session
      .during(async () => frame?.evaluate(drawn))
      .then(
        () => true,
        () => false,
      );
    return withTimeout(timeout, draws, () => false);
  }

  private async look(widget: LiveWidget): Promise<Looked> {
    try {
      for (const wait of [...blankAgain, undefined]) {
        const [screenshot, snapshot] = await Promise.all([
          widget.screenshot(),
          widget.snapshot().catch(() => undefined),
        ]);
        const seen = { screenshot, ...(snapshot && { snapshot }) };
        if (!isBlank(screenshot)) return { status: 'rendered', ...seen };
        if (wait === undefined)
          return {
            status: 'blank_screenshot',
            problem: 'The widget shows a single color',
            ...seen,
          };
        await widget.act({ kind: 'wait', ms: wait }, this.request.signal);
      }
    } catch (error) {
      if (this.crashed) return { status: 'render_error', problem: 'The page of the widget crashed' };
      if (error instanceof BrowserFailure && (error.kind === 'crashed' || error.kind === 'closed'))
        throw error;
      return {
        status: 'screenshot_failed',
        problem: cut(String(error instanceof Error ? error.message : error)),
      };
    }
    return { status: 'screenshot_failed' };
  }

  /** Requests blocked by the guard, or by the widget's own policy according to the console. */
  private blockedRequests(): { url: string; reason: string }[] {
    const blocked = new Map(this.session.refusals.map(({ url, reason }) => [url, reason]));
    for (const { text } of this.session.console) {
      const [, url, directive] = violation.exec(text) ?? [];
      if (url !== undefined) blocked.set(url, `not in the csp of the widget: ${directive}`);
    }
    return [...blocked]
      .slice(0, bounds.entries)
      .map(([url, reason]) => ({ url: cut(url), reason: cut(reason) }));
  }
}
