import { isObject } from '../json/value.ts';

const maxReason = 600;
const maxValue = 200;
const maxItems = 20;
const maxDepth = 6;
const maxShown = 3;
const hidden = '«redacted»';

/** Keys with secret values. */
const sensitive =
  /authorization|bearer|passw(?:or)?d|secret|token|api[-_ ]?key|access[-_ ]?key|cookie|credential|private[-_ ]?key/i;
/** Matches a secret in text: a sensitive key followed by its value. */
const sensitiveText =
  /((?:authorization|passw(?:or)?d|secret|token|api[-_ ]?key|access[-_ ]?key|cookie|credential|private[-_ ]?key)["']?\s?[:=]\s?["']?(?:bearer |basic )?|bearer )[^\s"',;)}\]]+/gi;

/** Shortens text without splitting a surrogate pair, and replaces characters that a database cannot store. */
export function cut(text: string, most: number): string {
  const storable = text.slice(0, most + 1).replaceAll('\0', '\ufffd');
  if (storable.length <= most) return storable.toWellFormed();
  const short = storable.slice(0, most - 1);
  return `${short.replace(/[\ud800-\udbff]$/, '').toWellFormed()}…`;
}

export function cutReason(reason: string): string {
  return cut(reason, maxReason);
}

/** Shortens an untrusted value and redacts values with secret keys. */
export function show(value: unknown): string {
  return cut(JSON.stringify(shownValue(value, 0)) ?? 'nothing', maxValue);
}

/** Quotes text of a server or a model, shortened and with secrets redacted. */
export function quote(text: string): string {
  return JSON.stringify(cut(hideSecrets(text.slice(0, 2 * maxValue)), maxValue));
}

export function hideSecrets(text: string): string {
  return text.replace(sensitiveText, `$1${hidden}`);
}

/** The first few items and the number of the others. */
export function list(items: readonly string[]): string {
  const shown = items.slice(0, maxShown).join(', ');
  return items.length > maxShown ? `${shown} and ${items.length - maxShown} more` : shown;
}

/** Redacts the values of secret keys, and everything below 64 levels, before a value is stored. */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > 64) return hidden;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      sensitive.test(key.slice(0, 200)) ? hidden : withoutSecrets(inner, depth + 1),
    ]),
  );
}

/** A small, redacted copy for display. */
export function shownValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cut(hideSecrets(value.slice(0, 2 * maxValue)), maxValue);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => shownValue(item, depth + 1));
    return value.length > maxItems ? [...items, '…'] : items;
  }
  const shown: [string, unknown][] = [];
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (shown.length === maxItems) {
      shown.push(['…', '…']);
      break;
    }
    const inner = (value as Record<string, unknown>)[key];
    shown.push([
      cut(key, maxValue),
      sensitive.test(key.slice(0, 200)) ? hidden : shownValue(inner, depth + 1),
    ]);
  }
  return Object.fromEntries(shown);
}
