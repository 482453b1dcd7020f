import { installOpenAi } from './in-page.ts';

/** What `window.openai` shows of the call. */
interface OpenAiGlobals {
  input: unknown;
  result: Record<string, unknown>;
  height: number;
}

/** The HTML of a widget with `window.openai`, there before any script of its own. */
export function withOpenAi(html: string, { input, result, height }: OpenAiGlobals): string {
  const globals = {
    toolInput: input,
    toolOutput: result['structuredContent'] ?? null,
    toolResponseMetadata: result['_meta'] ?? null,
    theme: 'light',
    locale: 'en-US',
    displayMode: 'inline',
    maxHeight: height,
  };
  const script = `<script>(${installOpenAi.toString()})(${forScript(globals)});</script>`;
  // Bounded, because a page may begin such a tag ten thousand times and end none.
  const at = /<head(?:\s[^>]{0,500})?>|<!doctype[^>]{0,500}>/gi;
  let place = 0;
  // After the head where there is one, else after the document type: a script before it changes how pages are drawn.
  for (const match of html.slice(0, 65_536).matchAll(at)) {
    place = match.index + match[0].length;
    if (/^<head/i.test(match[0])) break;
  }
  return `${html.slice(0, place)}${script}${html.slice(place)}`;
}

/** JSON that ends no script. */
function forScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
