import type { Tool } from '@modelcontextprotocol/client';

const mostTools = 1_000;
const mostInside = 5_000;

/**
 * Tools with parameters that belong into headers, as they were last listed. The SDK remembers only what went through
 * its own `listTools`, which walks all pages and strips fields.
 */
export class MarkedTools {
  private readonly tools = new Map<string, Tool>();

  has(name: string): boolean {
    return this.tools.has(name);
  }

  /** What the SDK is told about a tool: without a definition it would list all tools by itself. */
  definitionOf(name: string): Tool {
    return this.tools.get(name) ?? { name, inputSchema: { type: 'object' } };
  }

  forget(name: string): void {
    this.tools.delete(name);
  }

  /** From a list as the server sent it, which may hold anything. */
  learn(list: unknown): void {
    if (!Array.isArray(list)) return;
    for (const item of list as (Partial<Tool> | null)[]) {
      if (typeof item?.name !== 'string') continue;
      const { name, inputSchema } = item;
      // Without the output schema: a broken one must not keep us from calling.
      if (inputSchema && isMarked(inputSchema) && this.tools.size < mostTools)
        this.tools.set(name, { name, inputSchema });
      else this.tools.delete(name);
    }
  }
}

/** Whether a mark is anywhere in a schema, as far as it is looked into. */
function isMarked(schema: unknown): boolean {
  const pending = [schema];
  for (let seen = 0; pending.length > 0 && seen < mostInside; seen++) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    if ('x-mcp-header' in next) return true;
    for (const value of Object.values(next)) if (typeof value === 'object') pending.push(value);
  }
  return false;
}
