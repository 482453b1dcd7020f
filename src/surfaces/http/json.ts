import { invalid } from './invalid.ts';

const deepest = 64;
const decoder = new TextDecoder('utf-8', { fatal: true });

const refuse = (message: string): never => {
  throw invalid(message);
};

/**
 * JSON as a careful reader wants it: UTF-8 that is UTF-8, no key twice, nothing nested beyond reason, no
 * characters that cannot be stored. Empty means `{}`.
 */
export function parseJsonObject(body: Uint8Array): Record<string, unknown> {
  const text = decode(body);
  if (text.trim() === '') return {};
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('Request body must be a JSON object');
  inspect(text);
  const fault = findFault(value);
  if (fault) refuse(`${fault.path.join('.') || 'body'}: ${fault.problem}`);
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

interface Fault {
  path: string[];
  problem: string;
}

/** The first value that would not come back as it was sent. The path is put together only if there is one. */
function findFault(value: unknown): Fault | undefined {
  if (typeof value === 'string') return faultOf(problemOfText(value));
  if (typeof value === 'number')
    return faultOf(Number.isFinite(value) ? undefined : 'The number is too large');
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const fault = findFault(value[at]);
      if (fault) return below(String(at), fault);
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    const problem = problemOfText(key);
    if (problem) return faultOf(`a key is not usable: ${problem}`);
    const fault = findFault((value as Record<string, unknown>)[key]);
    if (fault) return below(key, fault);
  }
  return undefined;
}

function faultOf(problem: string | undefined): Fault | undefined {
  return problem === undefined ? undefined : { path: [], problem };
}

function below(key: string, fault: Fault): Fault {
  fault.path.unshift(key);
  return fault;
}

/** What PostgreSQL cannot store, or would store as something else. */
export function problemOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'May not contain the NUL character';
  if (!text.isWellFormed()) return 'Contains half of a surrogate pair';
  return undefined;
}
