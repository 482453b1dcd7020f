/** One character as it may stand in JSON, in a URL or in a page. */
const escape =
  /\\u([0-9a-f]{4})|\\(["\\/bfnrt])|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|&(amp|lt|gt|quot|apos);/gi;
const letters: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** An escape inside an escape is JSON inside JSON, or a URL in a page. Nobody goes deeper by accident. */
const mostLayers = 3;

/** A text with its escapes undone, and where each of its characters began; the end is noted last. */
interface Unescaped {
  text: string;
  starts: number[];
}

/** Where secrets stand in a text: as they are, in base64, in hex, and each of these also written with escapes. */
export function findSecrets(text: string, secrets: readonly string[]): [start: number, end: number][] {
  const plain: Unescaped = { text, starts: [] };
  const sought = secrets.flatMap((secret) => formsOf(secret).flatMap((form) => [form, ...asBytes(form)]));
  const found = sought.flatMap((secret) => occurrences(plain, secret));
  // A secret may hold what looks like an escape of another kind, so each kind is also undone by itself.
  for (const kind of ['json', 'url', 'page', undefined] as const) {
    let layer = unescape(plain, kind);
    for (let depth = 1; layer && depth <= mostLayers; depth++) {
      for (const secret of sought) found.push(...occurrences(layer, secret));
      layer = unescape(layer);
    }
  }
  return found.sort(([a], [b]) => a - b);
}

/** Shorter texts stand in others by chance. */
const shortest = 6;

/** How a secret is written by programs that encode it as a whole. */
export function formsOf(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  return [...new Set([secret, hex, hex.toUpperCase(), ...inBase64(secret)])];
}

/** Alone or inside something longer: how it looks in base64 depends on what comes before it. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const texts = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    // The characters that hold bits of nothing but the secret.
    return whole.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
  });
  return texts
    .flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')])
    .filter(({ length }) => length >= shortest);
}

type Kind = 'json' | 'url' | 'page';

function kindOf([, unicode, letter, percent]: RegExpExecArray): Kind {
  if (unicode !== undefined || letter !== undefined) return 'json';
  return percent === undefined ? 'page' : 'url';
}

/** The bytes of UTF-8, one character each: that is what `%C3%A9` becomes when its escapes are undone. */
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

/** Undefined when there is nothing to undo. */
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
