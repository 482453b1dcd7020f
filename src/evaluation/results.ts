import type { ToolResult } from './evidence.ts';

/** The fields of a complete result that checks read. */
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

/** Joins all text parts by line breaks. */
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
