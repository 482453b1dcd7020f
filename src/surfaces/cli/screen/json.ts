import type { Screen } from './screen.ts';

/** JSON for programs; on a terminal the same, in which nothing is left that it would obey. */
export function jsonText(value: unknown, { isTTY }: Screen, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  if (!isTTY) return text;
  return text.replaceAll(/[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from(
      { length: found.length },
      (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
