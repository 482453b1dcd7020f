/**
 * Functions that run inside pages. Their source is sent to the page, so they must not refer to anything outside of
 * themselves, or contain named functions, which loaders may wrap.
 */

interface PageElement {
  innerText?: string;
  textContent: string | null;
  outerHTML: string;
  getElementsByTagName(name: string): { length: number };
}

/** The visible text or the source of an element, up to `most` characters. */
export function readElement(
  element: PageElement,
  { source, most }: { source: boolean; most: number },
): { text: string; truncated: boolean } {
  const text = source ? element.outerHTML : (element.innerText ?? element.textContent ?? '');
  return { text: text.slice(0, most), truncated: text.length > most };
}

export function countElements(element: PageElement): number {
  return element.getElementsByTagName('*').length;
}

/** A WebMCP tool that a page offers to agents. */
interface OfferedTool {
  /** The page may have set any value. */
  name?: { toString(): string } | undefined;
  description?: { toString(): string } | undefined;
  inputSchema?: unknown;
  execute?: (input: unknown, client: { signal: AbortSignal }) => unknown;
}

/** The tools of a page, stored in its global object under `Symbol.for('drydock.tools')`. */
interface ToolsOfPage {
  tools: Map<string, OfferedTool>;
  running: Map<string, AbortController>;
}

/** Adds `modelContext` to `navigator` and `document`, with which pages register tools. */
export function installPageTools(): void {
  const tools: ToolsOfPage['tools'] = new Map();
  const keep = [
    (tool: OfferedTool, options?: { signal?: AbortSignal }): void => {
      const name = String(tool.name);
      tools.set(name, tool);
      options?.signal?.addEventListener('abort', () => tools.delete(name));
    },
  ] as const;
  const offered = {
    registerTool: keep[0],
    unregisterTool(name: string): void {
      tools.delete(name);
    },
    provideContext(context: { tools?: OfferedTool[] }): void {
      tools.clear();
      for (const tool of context.tools ?? []) keep[0](tool);
    },
    clearContext(): void {
      tools.clear();
    },
  };
  const scope = globalThis as unknown as { navigator: object; document: object };
  for (const owner of [scope.navigator, scope.document])
    Object.defineProperty(owner, 'modelContext', { value: offered, configurable: true });
  Object.defineProperty(globalThis, Symbol.for('drydock.tools'), {
    value: { tools, running: new Map() } satisfies ToolsOfPage,
  });
}

/** JSON of the tools without their functions, truncated before it leaves the page. */
export function listPageTools(maxTools: number): string {
  const kept = (globalThis as unknown as Record<symbol, ToolsOfPage | undefined>)[
    Symbol.for('drydock.tools')
  ];
  const listed = [...(kept?.tools.values() ?? [])].slice(0, maxTools).map((tool) => ({
    name: String(tool.name).slice(0, 128),
    description: String(tool.description ?? '').slice(0, 4000),
    inputSchema: JSON.stringify(tool.inputSchema ?? null).length > 20_000 ? null : (tool.inputSchema ?? null),
  }));
  return JSON.stringify(listed);
}

interface Invocation {
  name: string;
  input: unknown;
  invocationId: string;
  most: number;
}

/** Calls a tool. Returns JSON of `{output}`, `{problem}`, or `{missing}` if the page has no such tool. */
export async function invokePageTool({ name, input, invocationId, most }: Invocation): Promise<string> {
  const kept = (globalThis as unknown as Record<symbol, ToolsOfPage | undefined>)[
    Symbol.for('drydock.tools')
  ];
  const tool = kept?.tools.get(name);
  if (!kept || typeof tool?.execute !== 'function') return JSON.stringify({ missing: true });
  const abort = new AbortController();
  kept.running.set(invocationId, abort);
  try {
    const output = await Promise.race([
      tool.execute(input, { signal: abort.signal }),
      new Promise((_, reject) => {
        abort.signal.addEventListener('abort', () => reject(new Error('Cancelled')));
      }),
    ]);
    const text = JSON.stringify({ output: output ?? null });
    return text.length > most
      ? JSON.stringify({ problem: `The result has more than ${most} characters` })
      : text;
  } catch (error) {
    return JSON.stringify({ problem: String(error).slice(0, 2000) });
  } finally {
    kept.running.delete(invocationId);
  }
}

/** Returns whether the invocation was running. */
export function cancelPageTool(invocationId: string): boolean {
  const kept = (globalThis as unknown as Record<symbol, ToolsOfPage | undefined>)[
    Symbol.for('drydock.tools')
  ];
  const abort = kept?.running.get(invocationId);
  abort?.abort();
  return abort !== undefined;
}
