/**
 * Functions that run inside pages, which get their text: they use nothing of this file. Loaders may wrap a function that
 * has a name inside another one, so none does.
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
 * The first message of the page around is the HTML of a widget, which is shown in a frame inside this one; from then on
 * messages go from either to the other, and nobody else is heard. Neither has an origin, so none can be named.
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
    // In front of all, where no comment or text of the widget can hold it. Shadow roots that stand in the text are made
    // plain templates: the guard would not hear of them.
    const plain = data.replace(/shadowrootmode/gi, 'data-$&');
    state.inner.srcdoc = `<script>${guard}</script>${plain}`;
    scope.document.body.append(state.inner);
  });
}
