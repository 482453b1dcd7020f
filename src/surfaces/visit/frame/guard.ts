/**
 * Runs in the page of a widget before the widget's code. Its source is sent to the page, so it must not refer to
 * anything outside of itself, or contain named functions, which loaders may wrap. Removes what no policy of a page can
 * forbid: peer connections, which send packets to any address in spite of `connect-src`, and frames without an http or
 * https URL, since each would bring peer connections back. The widget may change the objects that it shares with this
 * function, so everything that is used later is saved first.
 */
export function guardWidget(): void {
  const scope = globalThis as unknown as Scope;
  const { apply } = Reflect;
  const { attachShadow, remove, getAttribute } = scope.Element.prototype;
  const { observe } = scope.MutationObserver.prototype;
  const { startsWith } = scope.String.prototype;
  const inDocument = scope.Document.prototype.querySelectorAll;
  const inShadow = scope.DocumentFragment.prototype.querySelectorAll;
  const { get: lengthOf } = Object.getOwnPropertyDescriptor(scope.NodeList.prototype, 'length') as Length;
  const options = Object.freeze(
    Object.assign(Object.create(null) as object, { childList: true, subtree: true, attributes: true }),
  );
  const peers = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'mozRTCPeerConnection', 'RTCIceTransport'];
  for (const name of peers) Object.defineProperty(scope, name, { value: undefined });
  // These parse declarative shadow roots, which no observer sees: setHTML, parseHTMLUnsafe, and future functions.
  const { Element, ShadowRoot, Document } = scope;
  for (const owner of [Element.prototype, ShadowRoot.prototype, Document.prototype, Document])
    for (const name of Object.getOwnPropertyNames(owner))
      if (/HTML(?:Unsafe)?$/.test(name) && !/^(?:inner|outer|get|insertAdjacent)/.test(name))
        Object.defineProperty(owner, name, { value: undefined });
  for (const name of ['write', 'writeln'])
    Object.defineProperty(Document.prototype, name, { value: undefined });

  const Observer = scope.MutationObserver;
  const [watch] = [
    (root: unknown, find: Queried['querySelectorAll']): void => {
      const observer = new Observer(() => {
        const frames = apply(find, root, ['iframe,frame,object,embed,fencedframe']);
        for (let i = apply(lengthOf, frames, []) - 1; i >= 0; i--) {
          const src = apply(getAttribute, frames[i], ['src']) ?? '';
          const isElsewhere = apply(startsWith, src, ['https://']) || apply(startsWith, src, ['http://']);
          if (!isElsewhere || apply(getAttribute, frames[i], ['srcdoc']) !== null)
            apply(remove, frames[i], []);
        }
      });
      apply(observe, observer, [root, options]);
    },
  ];
  watch(scope.document, inDocument);
  Object.defineProperty(scope.Element.prototype, 'attachShadow', {
    value(this: unknown, init: object) {
      // A clone would not be observed.
      const root = apply(attachShadow, this, [{ ...init, clonable: false }]);
      watch(root, inShadow);
      return root;
    },
  });
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

interface Scope {
  document: unknown;
  Element: {
    prototype: {
      attachShadow: Method;
      remove: Method;
      getAttribute: (this: unknown, name: string) => string | null;
    };
  };
  String: { prototype: { startsWith: (this: unknown, text: string) => boolean } };
  ShadowRoot: { prototype: object };
  Document: { prototype: Queried };
  DocumentFragment: { prototype: Queried };
  NodeList: { prototype: object };
  MutationObserver: (new (heard: () => void) => object) & { prototype: { observe: Method } };
}

interface Length {
  get: (this: unknown) => number;
}

interface Queried {
  querySelectorAll: (this: unknown, selector: string) => ArrayLike<unknown>;
}
