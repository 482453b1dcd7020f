import { isObject } from './value.ts';

/** The object that a model was asked for: the text itself, or alone in a code block, which some cannot do without. */
export function answeredObject(text: string): Record<string, unknown> | undefined {
  const all = text.trim();
  const fenced = all.length > 6 && all.startsWith('```') && all.endsWith('```');
  try {
    const value: unknown = JSON.parse(fenced ? all.slice(3, -3).replace(/^json/, '') : all);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
