import { installOpenAi } from './in-page.ts';

/** The data of the call that `window.openai` exposes. */
interface OpenAiGlobals {
  input: unknown;
  result: Record<string, unknown>;
  height: number;
}

/** Adds `window.openai` to the HTML of a widget, before its own scripts. */
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
  // Limited, because a page may contain ten thousand unclosed tags.
  const at = /<head(?:\s[^>]{0,500})?>|<!doctype[^>]{0,500}>/gi;
  let place = 0;
  // After <head>, or otherwise after the doctype, because a script before the doctype switches to quirks mode.
  for (const match of html.slice(0, 65_536).matchAll(at)) {
    place = match.index + match[0].length;
    if (/^<head/i.test(match[0])) break;
  }
  return `${html.slice(0, place)}${script}${html.slice(place)}`;
}

/** JSON that cannot close the script element. */
function forScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
