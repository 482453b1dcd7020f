import { invalid } from '../../domain/invalid.ts';

const deepest = 64;
const decoder = new TextDecoder('utf-8', { fatal: true });

const refuse = (message: string): never => {
  throw invalid(message);
};

/**
 * JSON as a careful reader wants it: UTF-8 that is UTF-8, no key twice, nothing nested beyond reason. Empty means
 * `{}`.
 */
export function parseJsonObject(body: Uint8Array): Record<string, unknown> {
  const text = decode(body);
  if (text.trim() === '') return {};
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('Request body must be a JSON object');
  inspect(text);
  return value as Record<string, unknown>;
}

function decode(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    return refuse('Invalid JSON body: not UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('Invalid JSON body');
  }
}

/** Walks text that is known to be valid JSON; JSON.parse itself hides repeated keys and depth. */
function inspect(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : undefined);
      if (open.length > deepest) refuse(`Invalid JSON body: nested deeper than ${deepest} levels`);
    } else if (char === '}' || char === ']') open.pop();
    else if (char === '"') {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (keys && text[afterSpace(text, end)] === ':')
        noteKey(keys, JSON.parse(text.slice(at, end)) as string);
      at = end - 1;
    }
  }
}

function noteKey(keys: Set<string>, key: string): void {
  if (key === '__proto__') refuse('Invalid JSON body: the key "__proto__" is not allowed');
  if (keys.has(key)) refuse(`Invalid JSON body: the key ${JSON.stringify(key.slice(0, 100))} appears twice`);
  keys.add(key);
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}
