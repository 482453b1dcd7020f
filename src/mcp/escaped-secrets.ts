/** An escaped character in JSON, a URL or HTML. */
const escape =
  /\\u([0-9a-f]{4})|\\(["\\/bfnrt])|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|&(amp|lt|gt|quot|apos);/gi;
const letters: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Maximum layers of escapes. Some nest, as in JSON within JSON or in URLs within HTML, but not deeper by accident. */
const maxLayers = 3;

/** A text without escapes, and the original index of each of its characters and of its end. */
interface Unescaped {
  text: string;
  starts: number[];
}

/** Finds secrets in a text: verbatim, in base64 and in hex, each also with escapes. */
export function findSecrets(text: string, secrets: readonly string[]): [start: number, end: number][] {
  const plain: Unescaped = { text, starts: [] };
  const sought = secrets.flatMap((secret) => formsOf(secret).flatMap((form) => [form, ...asBytes(form)]));
  const found = sought.flatMap((secret) => occurrences(plain, secret));
  // A secret may contain text that looks like another kind of escape, so each kind is also undone alone.
  for (const kind of ['json', 'url', 'page', undefined] as const) {
    let layer = unescape(plain, kind);
    for (let depth = 1; layer && depth <= maxLayers; depth++) {
      for (const secret of sought) found.push(...occurrences(layer, secret));
      layer = unescape(layer);
    }
  }
  return found.sort(([a], [b]) => a - b);
}

/** Minimum characters of an encoded secret. Shorter ones match by chance. */
const minEncoded = 6;

export function formsOf(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  return [...new Set([secret, hex, hex.toUpperCase(), ...inBase64(secret)])];
}

/** The encoding within a longer text depends on the offset at which the secret starts. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const texts = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    // The characters that consist of bits of the secret only.
    return whole.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
  });
  return texts
    .flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')])
    .filter(({ length }) => length >= minEncoded);
}

type Kind = 'json' | 'url' | 'page';

function kindOf([, unicode, letter, percent]: RegExpExecArray): Kind {
  if (unicode !== undefined || letter !== undefined) return 'json';
  return percent === undefined ? 'page' : 'url';
}

/** The bytes of UTF-8 as one character each, which is the result of undoing `%C3%A9`. */
function asBytes(secret: string): string[] {
  const bytes = Buffer.from(secret).toString('latin1');
  return bytes === secret ? [] : [bytes];
}

function occurrences({ text, starts }: Unescaped, secret: string): [number, number][] {
  const found: [number, number][] = [];
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    const end = at + secret.length;
    found.push([starts[at] ?? at, starts[end] ?? end]);
  }
  return found;
}

/** Undefined if the text has no escapes. */
function unescape({ text, starts }: Unescaped, kind?: Kind): Unescaped | undefined {
  if (!/[\\%&]/.test(text)) return undefined;
  const origin = (at: number): number => starts[at] ?? at;
  const pieces: string[] = [];
  const next: number[] = [];
  let from = 0;
  const keep = (end: number): void => {
    pieces.push(text.slice(from, end));
    for (let at = from; at < end; at++) next.push(origin(at));
  };
  for (const match of text.matchAll(escape)) {
    const character = kind === undefined || kindOf(match) === kind ? characterOf(match) : undefined;
    if (character === undefined) continue;
    keep(match.index);
    pieces.push(character);
    for (let unit = 0; unit < character.length; unit++) next.push(origin(match.index));
    from = match.index + match[0].length;
  }
  if (from === 0) return undefined;
  keep(text.length);
  next.push(origin(text.length));
  return { text: pieces.join(''), starts: next };
}

function characterOf([, unicode, letter, percent, hex, decimal, entity]: RegExpExecArray):
  | string
  | undefined {
  if (letter !== undefined) return letters[letter] ?? letter;
  if (entity !== undefined) return entities[entity.toLowerCase()];
  const code = decimal === undefined ? Number.parseInt(unicode ?? percent ?? hex ?? '', 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
