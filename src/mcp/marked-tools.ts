import type { Tool } from '@modelcontextprotocol/client';

const maxTools = 1_000;
const maxInside = 5_000;

/**
 * Tools with parameters that belong in headers, learned from lists of tools. The SDK only learns them from its own
 * `listTools`, which reads all pages and strips fields.
 */
export class MarkedTools {
  private readonly tools = new Map<string, Tool>();

  has(name: string): boolean {
    return this.tools.has(name);
  }

  /** A definition for the SDK, which would list all tools without one. */
  definitionOf(name: string): Tool {
    return this.tools.get(name) ?? { name, inputSchema: { type: 'object' } };
  }

  forget(name: string): void {
    this.tools.delete(name);
  }

  /** Learns from a list as the server sent it, which may contain anything. */
  learn(list: unknown): void {
    if (!Array.isArray(list)) return;
    for (const item of list as (Partial<Tool> | null)[]) {
      if (typeof item?.name !== 'string') continue;
      const { name, inputSchema } = item;
      // Without the output schema, because an invalid one would prevent calls.
      if (inputSchema && isMarked(inputSchema) && this.tools.size < maxTools)
        this.tools.set(name, { name, inputSchema });
      else this.tools.delete(name);
    }
  }
}

/** Whether a schema contains a marked parameter, searched up to a limit. */
function isMarked(schema: unknown): boolean {
  const pending = [schema];
  for (let seen = 0; pending.length > 0 && seen < maxInside; seen++) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    if ('x-mcp-header' in next) return true;
    for (const value of Object.values(next)) if (typeof value === 'object') pending.push(value);
  }
  return false;
}
