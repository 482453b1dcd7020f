/**
 * Functions that run inside pages. Their source is sent to the page, so they must not refer to anything outside of
 * themselves, or contain named functions, which loaders may wrap.
 */

interface Scope {
  parent: Peer;
  addEventListener(kind: 'message', listener: (event: { source: unknown; data: unknown }) => void): void;
  document: { createElement(name: 'iframe'): Inner; body: { append(frame: Inner): void } };
}

interface Peer {
  postMessage(data: unknown, origin: string): void;
}

interface Inner {
  contentWindow: Peer;
  srcdoc: string;
  title: string;
  setAttribute(name: 'sandbox', value: string): void;
}

/**
 * Shows the HTML of a widget, the first message of the surrounding page, in a frame inside this one. Afterwards
 * forwards messages between the two and ignores all others. Neither has an origin, so messages are sent to any.
 */
export function relayWidget(sandbox: string, guard: string): void {
  const scope = globalThis as unknown as Scope;
  const state = { inner: undefined as Inner | undefined };
  scope.addEventListener('message', ({ source, data }) => {
    const { inner } = state;
    if (inner && source === inner.contentWindow) return scope.parent.postMessage(data, '*');
    if (source !== scope.parent) return;
    if (inner) return inner.contentWindow.postMessage(data, '*');
    if (typeof data !== 'string') return;
    state.inner = scope.document.createElement('iframe');
    state.inner.title = 'Widget';
    state.inner.setAttribute('sandbox', sandbox);
    // The guard comes first, where no comment or text of the widget can contain it. Declarative shadow roots become
    // plain templates, because the guard would not observe them.
    const plain = data.replace(/shadowrootmode/gi, 'data-$&');
    state.inner.srcdoc = `<script>${guard}</script>${plain}`;
    scope.document.body.append(state.inner);
  });
}
