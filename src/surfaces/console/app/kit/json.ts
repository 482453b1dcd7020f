interface Written {
  text: string;
  whole: boolean;
}

/** Deeper values are omitted: they would be indented out of view and could overflow the stack. */
const deepest = 100;

/**
 * A value as JSON, up to a number of characters. Writing stops at the limit, so that a preview of a value of
 * many megabytes is cheap.
 */
export function jsonWithin(value: unknown, most: number, indent = 0): Written {
  const out = new Writer(most, indent);
  write(value, 0, out);
  return { text: out.parts.join(''), whole: out.whole };
}

/** JSON on one line, with an ellipsis if truncated. */
export function briefJson(value: unknown, most = 200): string {
  const { text, whole } = jsonWithin(value, most);
  return whole ? text : `${text}…`;
}

/** Complete JSON, for a file or the clipboard. Values nested too deeply for the browser are omitted. */
export function wholeJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? 'undefined';
  } catch {
    return jsonWithin(value, Infinity).text;
  }
}

class Writer {
  readonly parts: string[] = [];
  whole = true;
  private left: number;
  private readonly indent: number;

  constructor(most: number, indent: number) {
    this.left = most;
    this.indent = indent;
  }

  get isFull(): boolean {
    return this.left <= 0;
  }

  put(text: string): void {
    if (text.length > this.left) this.whole = false;
    this.parts.push(text.length > this.left ? text.slice(0, this.left) : text);
    this.left = Math.max(0, this.left - text.length);
  }

  text(value: string): void {
    const read = value.length > this.left ? value.slice(0, this.left) : value;
    if (read.length < value.length) this.whole = false;
    this.put(JSON.stringify(read));
  }

  line(depth: number): void {
    if (this.indent > 0) this.put(`\n${' '.repeat(depth * this.indent)}`);
  }

  colon(): void {
    this.put(this.indent > 0 ? ': ' : ':');
  }
}

function write(value: unknown, depth: number, out: Writer): void {
  if (typeof value === 'string') return out.text(value);
  if (typeof value !== 'object' || value === null) return out.put(JSON.stringify(value) ?? 'undefined');
  if (depth >= deepest) {
    out.whole = false;
    return out.put('…');
  }
  const isList = Array.isArray(value);
  const names = isList ? undefined : Object.keys(value).filter((name) => at(value, name) !== undefined);
  const length = names ? names.length : (value as unknown[]).length;
  out.put(isList ? '[' : '{');
  for (let place = 0; place < length; place++) {
    if (out.isFull) {
      out.whole = false;
      return;
    }
    if (place > 0) out.put(',');
    out.line(depth + 1);
    const name = names?.[place];
    if (name !== undefined) {
      out.text(name);
      out.colon();
    }
    write(name === undefined ? (value as unknown[])[place] : at(value, name), depth + 1, out);
  }
  if (length > 0) out.line(depth);
  out.put(isList ? ']' : '}');
}

function at(value: object, name: string): unknown {
  return (value as Record<string, unknown>)[name];
}
