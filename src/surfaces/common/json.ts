import { invalid } from '../../domain/base/refusals.ts';
import { JsonBounds, type JsonLimits } from '../../platform/json/bounds.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

const refuse = (message: string): never => {
  throw invalid(message);
};

const tooMuch = (what: string): Error => invalid(`Invalid JSON body: ${what}. Send less of it, or in parts`);

/**
 * Parses a JSON object strictly: refuses invalid UTF-8, repeated keys, and more than `limits`, which are checked before
 * parsing. An empty body means `{}`.
 */
export function parseJsonObject(body: Uint8Array, limits: JsonLimits): Record<string, unknown> {
  new JsonBounds(limits, tooMuch).feed(body);
  const text = decode(body);
  if (text.trim() === '') return {};
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('Request body must be a JSON object');
  refuseRepeatedKeys(text);
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

const [quote, backslash, colon, comma] = [34, 92, 58, 44];
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93];

/** Walks text that is known to be valid JSON; JSON.parse itself hides repeated keys. */
function refuseRepeatedKeys(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Most characters outside of strings.
    if (code === colon || code === comma) continue;
    if (code === openBrace || code === openBracket) open.push(code === openBrace ? new Set() : undefined);
    else if (code === closeBrace || code === closeBracket) open.pop();
    else if (code === quote) {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (keys && text.charCodeAt(afterSpace(text, end)) === colon) noteKey(keys, keyIn(text, at, end));
      at = end - 1;
    }
  }
}

function keyIn(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end - 1);
  return key.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : key;
}

function noteKey(keys: Set<string>, key: string): void {
  if (key === '__proto__') refuse('Invalid JSON body: the key "__proto__" is not allowed');
  if (keys.has(key)) refuse(`Invalid JSON body: the key ${JSON.stringify(key.slice(0, 100))} appears twice`);
  keys.add(key);
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at + 1;
  }
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}
