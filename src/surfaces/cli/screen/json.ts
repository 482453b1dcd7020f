import type { Screen } from './screen.ts';

/** JSON; on a terminal, control and format characters are escaped. */
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
