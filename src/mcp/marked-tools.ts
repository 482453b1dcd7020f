import type { Tool } from '@modelcontextprotocol/client';

/**
 * Tools with parameters that belong into headers, as they were last listed. The SDK remembers only what went through
 * its own `listTools`, which walks all pages and strips fields.
 */
export class MarkedTools {
  private readonly tools = new Map<string, Tool>();

  get(name: string): Tool | undefined {
    return this.tools.get(name);
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
      if (inputSchema && JSON.stringify(inputSchema).includes('"x-mcp-header"'))
        this.tools.set(name, { name, inputSchema });
      else this.tools.delete(name);
    }
  }
}
