import { isObject } from '../../platform/json/is-object.ts';

/**
 * Parses the JSON object in a model's answer: the bare text, or the text in one code block, which some models always
 * add.
 */
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
