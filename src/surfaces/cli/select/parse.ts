import { maxDepth } from '../../../platform/json/bounds.ts';
import { OperatorProblem } from '../../../platform/problem.ts';

export type Node =
  | { kind: 'identity' | 'length' | 'keys' }
  | { kind: 'literal'; value: unknown }
  | { kind: 'field'; of: Node; name: string; quiet: boolean }
  | { kind: 'index'; of: Node; at: number; quiet: boolean }
  | { kind: 'each'; of: Node; quiet: boolean }
  | { kind: 'pipe'; from: Node; to: Node }
  | { kind: 'comma'; parts: Node[] }
  | { kind: 'array'; of: Node }
  | { kind: 'object'; fields: { name: string; value: Node }[] }
  | { kind: 'compare'; operator: string; left: Node; right: Node }
  | { kind: 'select'; condition: Node };

const tokenShape =
  /\s*(?:(\.[A-Za-z_][\w-]*)|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(==|!=|<=|>=|[.[\]{}()|,:<>?]))/gy;

interface Token {
  text: string;
  kind: 'field' | 'string' | 'number' | 'word' | 'sign' | 'end';
  at: number;
}

const maxLength = 10_000;

export function parse(expression: string): Node {
  if (expression.length > maxLength) throw new OperatorProblem('--jq: The expression is too long');
  const reader = new Reader(tokensOf(expression), expression);
  const node = reader.pipe();
  reader.expectEnd();
  return node;
}

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  const kinds = ['field', 'string', 'number', 'word', 'sign'] as const;
  let end = 0;
  for (const match of expression.matchAll(tokenShape)) {
    const which = match.slice(1).findIndex((part) => part !== undefined);
    tokens.push({ text: match[which + 1] as string, kind: kinds[which] as Token['kind'], at: match.index });
    end = match.index + match[0].length;
  }
  if (expression.slice(end).trim() !== '') throw unreadable(expression, end);
  return [...tokens, { text: '', kind: 'end', at: end }];
}

function unreadable(expression: string, at: number): OperatorProblem {
  const rest = expression.slice(at).trim().slice(0, 20);
  return new OperatorProblem(
    `--jq: Unexpected ${rest === '' ? 'end of expression' : `"${rest}"`}. Supported are paths like .items[].name, {id, name}, [..], |, select(.status == "failed"), length and keys`,
  );
}

/** A recursive descent parser; from lowest to highest precedence: pipe, comma, or, and, comparison, path. */
class Reader {
  private position = 0;
  private depth = 0;
  private readonly tokens: Token[];
  private readonly expression: string;

  constructor(tokens: Token[], expression: string) {
    this.tokens = tokens;
    this.expression = expression;
  }

  pipe(): Node {
    if (++this.depth > maxDepth) throw unreadable(this.expression, this.next.at);
    const from = this.comma();
    const node: Node = this.takes('|') ? { kind: 'pipe', from, to: this.pipe() } : from;
    this.depth--;
    return node;
  }

  expectEnd(): void {
    if (this.next.kind !== 'end') throw unreadable(this.expression, this.next.at);
  }

  private comma(): Node {
    const parts = [this.binary(0)];
    while (this.takes(',')) parts.push(this.binary(0));
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'comma', parts };
  }

  private binary(level: number): Node {
    const operators = [['or'], ['and'], ['==', '!=', '<', '<=', '>', '>=']][level];
    if (!operators) return this.path();
    let left = this.binary(level + 1);
    while (operators.includes(this.next.text) && this.next.kind !== 'string') {
      const operator = this.take().text;
      left = { kind: 'compare', operator, left, right: this.binary(level + 1) };
    }
    return left;
  }

  private path(): Node {
    let node = this.term();
    for (;;) {
      if (this.next.kind === 'field') node = this.fieldOf(node, this.take().text.slice(1));
      else if (this.next.text === '.' && this.tokens[this.position + 1]?.kind === 'string') {
        this.take();
        node = this.fieldOf(node, this.text());
      } else if (this.takes('[')) node = this.bracket(node);
      else return node;
    }
  }

  private fieldOf(of: Node, name: string): Node {
    return { kind: 'field', of, name, quiet: this.takes('?') };
  }

  private bracket(of: Node): Node {
    if (this.takes(']')) return { kind: 'each', of, quiet: this.takes('?') };
    if (this.next.kind === 'string') {
      const name = this.text();
      this.expect(']');
      return this.fieldOf(of, name);
    }
    if (this.next.kind !== 'number') throw unreadable(this.expression, this.next.at);
    const at = Number(this.take().text);
    this.expect(']');
    return { kind: 'index', of, at, quiet: this.takes('?') };
  }

  private term(): Node {
    const token = this.next;
    if (token.kind === 'field') return { kind: 'identity' };
    if (token.kind === 'string') return { kind: 'literal', value: this.text() };
    if (token.kind === 'number') return { kind: 'literal', value: Number(this.take().text) };
    if (token.kind === 'word') return this.word();
    if (this.takes('.')) {
      if (this.next.kind === 'string') return this.fieldOf({ kind: 'identity' }, this.text());
      return { kind: 'identity' };
    }
    if (this.takes('(')) return this.closed(this.pipe(), ')');
    if (this.takes('[')) return { kind: 'array', of: this.closed(this.pipe(), ']') };
    if (this.takes('{')) return this.object();
    throw unreadable(this.expression, token.at);
  }

  private word(): Node {
    const { text, at } = this.take();
    if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true' };
    if (text === 'null') return { kind: 'literal', value: null };
    if (text === 'length' || text === 'keys') return { kind: text };
    if (text !== 'select') throw unreadable(this.expression, at);
    this.expect('(');
    return { kind: 'select', condition: this.closed(this.pipe(), ')') };
  }

  private object(): Node {
    const fields: { name: string; value: Node }[] = [];
    while (!this.takes('}')) {
      if (fields.length > 0) this.expect(',');
      const token = this.next;
      if (token.kind !== 'word' && token.kind !== 'string') throw unreadable(this.expression, token.at);
      const name = token.kind === 'string' ? this.text() : this.take().text;
      const value: Node = this.takes(':')
        ? this.binary(0)
        : { kind: 'field', of: { kind: 'identity' }, name, quiet: false };
      fields.push({ name, value });
    }
    return { kind: 'object', fields };
  }

  private closed(node: Node, sign: string): Node {
    this.expect(sign);
    return node;
  }

  private get next(): Token {
    return this.tokens[this.position] as Token;
  }

  private take(): Token {
    const token = this.next;
    this.position++;
    return token;
  }

  private takes(sign: string): boolean {
    const found = this.next.kind === 'sign' && this.next.text === sign;
    if (found) this.position++;
    return found;
  }

  private expect(sign: string): void {
    if (!this.takes(sign)) throw unreadable(this.expression, this.next.at);
  }

  private text(): string {
    const { text, at } = this.take();
    try {
      return JSON.parse(text) as string;
    } catch {
      throw unreadable(this.expression, at);
    }
  }
}
