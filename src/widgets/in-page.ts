/**
 * Functions that run inside pages. Their source is sent to the page, so they must not refer to anything outside of
 * themselves, or contain named functions, which loaders may wrap.
 */

interface Limits {
  perSecond: number;
  waiting: number;
  message: number;
}

/** The state of the host page, under `Symbol.for('drydock.host')`. */
interface HostState {
  take(): Promise<{ messages: string[]; dropped: number }>;
  send(text: string): void;
  resize(height: number): void;
}

interface MessageEventLike {
  source: unknown;
  origin: string;
  data: unknown;
}

interface HostScope {
  addEventListener(kind: 'message', listener: (event: MessageEventLike) => void): void;
  document: {
    createElement(name: 'iframe'): WidgetFrame;
    body: { append(frame: WidgetFrame): void };
  };
}

interface WidgetFrame {
  contentWindow: { postMessage(data: unknown, origin: string): void };
  style: { height: string };
  title: string;
  allow: string;
  src: string;
  setAttribute(name: 'sandbox', value: string): void;
}

/**
 * Runs in the host page: shows the widget, and queues its messages until they are fetched. Messages beyond the limits
 * are dropped, so that a widget cannot flood the service.
 */
export function showWidget({
  origin,
  sandbox,
  allow,
  limits,
}: {
  origin: string;
  sandbox: string;
  allow: string;
  limits: Limits;
}): void {
  const scope = globalThis as unknown as HostScope;
  const frame = scope.document.createElement('iframe');
  frame.title = 'Widget';
  frame.allow = allow;
  frame.setAttribute('sandbox', sandbox);
  const state = {
    queue: [] as string[],
    dropped: 0,
    second: 0,
    inSecond: 0,
    wake: undefined as (() => void) | undefined,
  };
  scope.addEventListener('message', (event) => {
    if (event.source !== frame.contentWindow || event.origin !== origin) return;
    const second = Math.floor(performance.now() / 1000);
    if (second !== state.second) [state.second, state.inSecond] = [second, 0];
    if (++state.inSecond > limits.perSecond || state.queue.length >= limits.waiting) {
      state.dropped++;
      return;
    }
    let text: string | undefined;
    try {
      text = JSON.stringify(event.data);
    } catch {
      // A value that cannot be serialized is not a message.
    }
    if (text === undefined || text.length > limits.message) state.dropped++;
    else state.queue.push(text);
    state.wake?.();
  });
  const offered: HostState = {
    async take() {
      if (state.queue.length === 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 1_000);
          state.wake = (): void => {
            clearTimeout(timer);
            resolve();
          };
        });
      state.wake = undefined;
      const taken = { messages: state.queue.splice(0), dropped: state.dropped };
      state.dropped = 0;
      return taken;
    },
    send(text) {
      frame.contentWindow.postMessage(JSON.parse(text), origin);
    },
    resize(height) {
      frame.style.height = `${height}px`;
    },
  };
  Object.defineProperty(globalThis, Symbol.for('drydock.host'), { value: offered });
  frame.src = `${origin}/`;
  scope.document.body.append(frame);
}

export function takeMessages(): Promise<{ messages: string[]; dropped: number }> {
  return (globalThis as unknown as Record<symbol, HostState>)[Symbol.for('drydock.host')]!.take();
}

export function sendMessage(text: string): void {
  (globalThis as unknown as Record<symbol, HostState>)[Symbol.for('drydock.host')]!.send(text);
}

export function resizeFrame(height: number): void {
  (globalThis as unknown as Record<symbol, HostState>)[Symbol.for('drydock.host')]!.resize(height);
}

/** Focuses the widget's frame without moving the focus inside of it, so that it receives keys. */
export function focusFrame(frame: { focus(): void; ownerDocument: { activeElement: unknown } }): void {
  if (frame.ownerDocument.activeElement !== frame) frame.focus();
}

/** The visible part of the frame, in page pixels. */
export function seenOfFrame(): { x: number; y: number; width: number; height: number } {
  const scope = globalThis as unknown as {
    innerWidth: number;
    innerHeight: number;
    scrollX: number;
    scrollY: number;
    document: {
      querySelector(name: string): {
        getBoundingClientRect(): { left: number; top: number; right: number; bottom: number };
      };
    };
  };
  const box = scope.document.querySelector('iframe').getBoundingClientRect();
  const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)];
  return {
    x: left + scope.scrollX,
    y: top + scope.scrollY,
    width: Math.max(1, Math.min(box.right, scope.innerWidth) - left),
    height: Math.max(1, Math.min(box.bottom, scope.innerHeight) - top),
  };
}

/** Settles when all changes so far have been drawn. */
export function drawn(): Promise<void> {
  const scope = globalThis as unknown as { requestAnimationFrame(then: () => void): void };
  return new Promise((resolve) => {
    scope.requestAnimationFrame(() => scope.requestAnimationFrame(() => setTimeout(resolve, 0)));
  });
}

/** The test IDs in a widget. */
export function testIds(
  body: { querySelectorAll(selector: string): ArrayLike<{ getAttribute(name: string): string | null }> },
  most: number,
): string[] {
  const found = Array.from(body.querySelectorAll('[data-testid]')).slice(0, most);
  return found.map((element) => String(element.getAttribute('data-testid')).slice(0, 200));
}

interface Globals {
  toolInput: unknown;
  toolOutput: unknown;
  toolResponseMetadata: unknown;
  theme: string;
  locale: string;
  displayMode: string;
  maxHeight: number;
}

interface OpenAiScope {
  parent: { postMessage(data: unknown, origin: string): void };
  openai?: unknown;
  addEventListener(kind: 'message', listener: (event: MessageEventLike) => void): void;
  dispatchEvent(event: unknown): void;
}

/**
 * Runs in a widget before its scripts: `window.openai` of the OpenAI Apps SDK, on top of MCP Apps. Unsupported members
 * are undefined, so that widgets can detect them.
 */
export function installOpenAi(globals: Globals): void {
  const scope = globalThis as unknown as OpenAiScope;
  const waiting = new Map<unknown, { resolve(value: unknown): void; reject(error: Error): void }>();
  const link = {
    asked: 0,
    post(message: object): void {
      scope.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
    },
    ask(method: string, params: object): Promise<unknown> {
      const id = `openai-${++link.asked}`;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        link.post({ id, method, params });
      });
    },
    changed(fields: object): void {
      Object.assign(openai, fields);
      scope.dispatchEvent(new CustomEvent('openai:set_globals', { detail: { globals: fields } }));
    },
  };
  const openai = {
    ...globals,
    widgetState: null as unknown,
    setWidgetState(state: unknown): Promise<void> {
      link.changed({ widgetState: state });
      return Promise.resolve();
    },
    callTool(name: string, args: unknown): Promise<unknown> {
      return link.ask('tools/call', { name, arguments: args ?? {} });
    },
    sendFollowUpMessage({ prompt }: { prompt: string }): Promise<unknown> {
      return link.ask('ui/message', { role: 'user', content: [{ type: 'text', text: prompt }] });
    },
    openExternal({ href }: { href: string }): Promise<unknown> {
      return link.ask('ui/open-link', { url: href });
    },
    requestDisplayMode({ mode }: { mode: string }): Promise<unknown> {
      return link.ask('ui/request-display-mode', { mode });
    },
    notifyIntrinsicHeight(height: number): void {
      link.post({ method: 'ui/notifications/size-changed', params: { height } });
    },
  };
  // Writable, because scripts may declare a variable named `openai`.
  Object.defineProperty(scope, 'openai', { value: openai, configurable: true, writable: true });
  scope.addEventListener('message', ({ source, data }) => {
    if (source !== scope.parent) return;
    const message = (data ?? {}) as {
      id?: unknown;
      method?: string;
      result?: unknown;
      error?: { message: string };
    };
    if (message.method === 'ui/resource-teardown') return link.post({ id: message.id, result: {} });
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) asked?.reject(new Error(message.error.message));
    else asked?.resolve(message.result);
  });
  void link
    .ask('ui/initialize', {
      protocolVersion: '2026-01-26',
      appInfo: { name: 'window.openai', version: '1.0.0' },
      appCapabilities: {},
    })
    // An error is ignored: the widget is initialized in any case.
    .catch(() => undefined)
    .finally(() => {
      link.post({ method: 'ui/notifications/initialized', params: {} });
      link.changed(globals);
    });
}
