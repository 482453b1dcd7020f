/**
 * Functions that run inside pages, which get their text: they use nothing of this file. Loaders may wrap a function that
 * has a name inside another one, so none does.
 */

interface PageElement {
  innerText?: string;
  textContent: string | null;
  outerHTML: string;
  getElementsByTagName(name: string): { length: number };
}

/** What a person would read of an element, or its source: its first `most` characters. */
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

/** A tool that a page offers to agents, as WebMCP has it. */
interface OfferedTool {
  /** Whatever a page put there. */
  name?: { toString(): string } | undefined;
  description?: { toString(): string } | undefined;
  inputSchema?: unknown;
  execute?: (input: unknown, client: { signal: AbortSignal }) => unknown;
}

/** Under this name the tools of a page are kept in it. */
interface ToolsOfPage {
  tools: Map<string, OfferedTool>;
  running: Map<string, AbortController>;
}

/** Gives pages `navigator.modelContext`, where they say which tools they have. */
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

/** JSON, which is cut before it leaves the page: a list of tools without their functions. */
export function listPageTools(mostTools: number): string {
  const kept = (globalThis as unknown as Record<symbol, ToolsOfPage | undefined>)[
    Symbol.for('drydock.tools')
  ];
  const listed = [...(kept?.tools.values() ?? [])].slice(0, mostTools).map((tool) => ({
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

/** JSON of `{output}` or `{problem}`. */
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
        abort.signal.addEventListener('abort', () => reject(new Error('It was cancelled')));
      }),
    ]);
    const text = JSON.stringify({ output: output ?? null });
    return text.length > most ? JSON.stringify({ problem: `It gave more than ${most} characters` }) : text;
  } catch (error) {
    return JSON.stringify({ problem: String(error).slice(0, 2000) });
  } finally {
    kept.running.delete(invocationId);
  }
}

/** Whether there was anything to cancel. */
export function cancelPageTool(invocationId: string): boolean {
  const kept = (globalThis as unknown as Record<symbol, ToolsOfPage | undefined>)[
    Symbol.for('drydock.tools')
  ];
  const abort = kept?.running.get(invocationId);
  abort?.abort();
  return abort !== undefined;
}
