import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type YAMLMap,
} from 'yaml';
import { maxDepth } from '../platform/json/bounds.ts';
import { problemOfText } from '../platform/json/storable.ts';
import { type Problem, problemsFound, SuiteFileProblem } from './problem.ts';

/** Maximum number of tokens, whitespace included: parsing takes more than linear time in them. */
const maxTokens = 400_000;
/** Maximum entries on the parser's stack. A level of nesting takes up to three. */
const maxStack = maxDepth * 3;
const maxAliases = 100;
/** Maximum number of values, with aliases expanded. */
const maxValues = 400_000;
/**
 * Maximum number of syntax errors and YAML features without a JSON equivalent, of which a hostile file may have any
 * number.
 */
const maxFaults = 1000;

export interface SourcePosition {
  line: number;
  column: number;
}

export interface ParsedYaml {
  value: unknown;
  /** The position of the value at a path, or of its key. A missing value has the position of its parent. */
  placeOf: (path: readonly PropertyKey[], atKey: boolean) => SourcePosition;
}

/** Parses YAML, and thus JSON, into a JSON value. */
export function parseYaml(text: string, fileName: string): ParsedYaml {
  const lines = new LineCounter();
  const placeAt = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const problemAt = (offset: number, message: string): Problem => ({
    ...placeAt(offset),
    path: '',
    message,
  });

  const [document, another] = compose(text, lines, problemAt);
  const asJson = /^\s*\{/.test(text.slice(0, 1000)) || /\.json$/i.test(fileName);
  const faults = [...document.errors, ...document.warnings].slice(0, maxFaults);
  const problems = faults.map(({ pos, message }) =>
    problemAt(pos[0], `Not valid ${asJson ? 'JSON' : 'YAML'}: ${message}`),
  );
  if (another) problems.push(problemAt(another.range[0], 'A suite file contains one document'));
  if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2')
    problems.push(problemAt(0, 'Must be YAML 1.2; leave the %YAML line out'));
  if (problems.length > 0) throw problemsFound(problems);

  const values = new Values(document);
  const value = values.read(document.contents, 0);
  if (values.faults.length > 0)
    throw problemsFound(values.faults.map(({ offset, message }) => problemAt(offset, message)));
  return {
    value,
    placeOf: (path, atKey) => placeAt(values.offsetOf(path, atKey)),
  };
}

type Composed = Document.Parsed;

/** The parser is iterative, but the composer is recursive, so the depth is checked in between. */
function compose(
  text: string,
  lines: LineCounter,
  problemAt: (offset: number, message: string) => Problem,
): [Composed, Composed | undefined] {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (++count > maxTokens)
      throw new SuiteFileProblem([problemAt(parser.offset, 'The file has too many parts')]);
    if (parser.stack.length > maxStack)
      throw new SuiteFileProblem([problemAt(parser.offset, `Nested deeper than ${maxDepth} levels`)]);
  }
  for (const token of parser.end()) tokens.push(token);
  // The composer's check for duplicate keys takes quadratic time.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, version: '1.2' });
  const [first, second] = withoutStacks(() => [...composer.compose(tokens, true, text.length)]);
  return [first as Composed, second];
}

/** Disables stack traces, which take most of the time to create an error for each syntax error. */
function withoutStacks<T>(work: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = before;
  }
}

const plainTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Converts a document into a JSON value, and records errors and the position of each part. */
class Values {
  readonly faults: { offset: number; message: string }[] = [];
  private readonly document: Composed;
  private readonly anchors = new Map<string, Node>();
  private readonly keys = new WeakMap<object, Map<string, { key: Node; value: Node | null }>>();
  private aliases = 0;
  private values = 0;
  private stopped = false;

  constructor(document: Composed) {
    this.document = document;
  }

  read(node: Node | null, depth: number): unknown {
    if (node === null || this.stopped) return null;
    if (++this.values > maxValues)
      return this.stop(node, 'The file has too many values with its aliases expanded');
    if (depth > maxDepth) return this.stop(node, `Nested deeper than ${maxDepth} levels`);
    if (isAlias(node)) return this.readAlias(node, node.source, depth);
    if (node.tag !== undefined && !plainTags.has(node.tag)) return this.fault(node, 'May not have a tag');
    if ('anchor' in node && typeof node.anchor === 'string') this.anchors.set(node.anchor, node);
    if (isScalar(node)) return this.readScalar(node, node.value);
    if (isSeq<Node>(node)) return node.items.map((item) => this.read(item, depth + 1));
    if (isMap<Node, Node | null>(node)) return this.readMap(node, depth);
    return this.fault(node, 'Cannot be used here');
  }

  offsetOf(path: readonly PropertyKey[], atKey: boolean): number {
    let node: Node | null = this.document.contents;
    let offset = node?.range?.[0] ?? 0;
    for (const [index, part] of path.entries()) {
      node = isAlias(node) ? (this.anchors.get(node.source) ?? null) : node;
      const found = this.child(node, part);
      if (!found) return offset;
      const last = index === path.length - 1;
      node = found.value;
      const shown = (last && atKey) || !node?.range ? found.key : node;
      offset = shown?.range?.[0] ?? offset;
    }
    return offset;
  }

  private child(node: Node | null, part: PropertyKey): { key: Node | null; value: Node | null } | undefined {
    if (isSeq<Node>(node)) {
      const value = node.items[Number(part)];
      return value && { key: value, value };
    }
    return node ? this.keys.get(node)?.get(String(part)) : undefined;
  }

  private readAlias(node: Node, name: string, depth: number): unknown {
    if (++this.aliases > maxAliases) return this.stop(node, `At most ${maxAliases} aliases can be used`);
    const meant = this.anchors.get(name);
    if (!meant) return this.fault(node, 'Unknown alias: there is no such anchor before it');
    return this.read(meant, depth);
  }

  private readScalar(node: Node, value: unknown): unknown {
    if (typeof value === 'number' && !Number.isFinite(value))
      return this.fault(node, 'The number is too large');
    const problem = typeof value === 'string' ? problemOfText(value) : undefined;
    return problem === undefined ? value : this.fault(node, problem);
  }

  private readMap(node: YAMLMap<Node, Node | null>, depth: number): unknown {
    const read: Record<string, unknown> = {};
    const keys = new Map<string, { key: Node; value: Node | null }>();
    this.keys.set(node, keys);
    for (const { key, value } of node.items) {
      if (this.stopped) return null;
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name !== 'string') this.fault(key, 'A key must be a text; put it in quotes');
      else if (name === '__proto__') this.fault(key, 'May not be used as a key');
      else if (keys.has(name)) this.fault(key, `The key ${JSON.stringify(name.slice(0, 100))} is duplicated`);
      else {
        this.readScalar(key, name);
        keys.set(name, { key, value });
        read[name] = this.read(value, depth + 1);
      }
    }
    return read;
  }

  private fault(node: Node, message: string): null {
    this.faults.push({ offset: node.range?.[0] ?? 0, message });
    if (this.faults.length >= maxFaults) this.stopped = true;
    return null;
  }

  private stop(node: Node, message: string): null {
    this.fault(node, message);
    this.stopped = true;
    return null;
  }
}
