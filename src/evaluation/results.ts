import type { ToolResult } from './evidence.ts';

/** What checks see of a result that is there as a whole. */
export function wholeResult(
  result: Record<string, unknown>,
): Pick<ToolResult, 'text' | 'structuredContent' | 'json' | 'whole'> {
  const text = textOfResult(result);
  const structuredContent = result['structuredContent'];
  const json = parsed(text);
  return {
    text,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(json !== undefined && { json }),
    whole: true,
  };
}

/** Of all text parts, one below the other. */
export function textOfResult(result: Record<string, unknown>): string {
  const parts = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  return parts
    .flatMap((part) => {
      const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
      return type === 'text' && typeof text === 'string' ? [text] : [];
    })
    .join('\n');
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
