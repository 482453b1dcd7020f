import { sheddingReasons } from '../overload.ts';

/** What is counted in a process: said once here, written as text for Prometheus and sent by OpenTelemetry. */

/** Few and known beforehand; nothing a caller chose. */
type Labels = Readonly<Record<string, string>>;

interface Value {
  labels: Labels;
  value: number;
}

interface Distribution {
  labels: Labels;
  /** Upper bounds; one bucket more takes the rest. */
  bounds: readonly number[];
  buckets: readonly number[];
  sum: number;
  count: number;
}

export type Family = { name: string; help: string } & (
  | { type: 'counter' | 'gauge' | 'summary'; values: readonly Value[] }
  | { type: 'histogram'; distributions: readonly Distribution[] }
);

/** A number that only grows, by one label. */
class Counter {
  private readonly label: string;
  private readonly counts = new Map<string, number>();
  private readonly name: string;
  private readonly help: string;

  constructor(name: string, help: string, label: string, known: readonly string[]) {
    this.name = name;
    this.help = help;
    this.label = label;
    // From the start, so that the first increase is seen as one.
    for (const value of known) this.counts.set(value, 0);
  }

  add(value: string): void {
    this.counts.set(value, (this.counts.get(value) ?? 0) + 1);
  }

  family(): Family {
    const { name, help, label } = this;
    const values = [...this.counts].map(([value, count]) => ({ labels: { [label]: value }, value: count }));
    return { name, help, type: 'counter', values };
  }
}

/** Counted where it happens, whichever part of the program that is. */
export const counters = {
  rateLimited: new Counter(
    'drydock_rate_limited_total',
    'Requests refused because their payer asks too often, by who pays',
    'payer',
    ['API key', 'Session', 'Visitor', 'Guest token'],
  ),
  shed: new Counter(
    'drydock_shed_requests_total',
    'Requests turned away because the process has too much to do, by what there is too much of',
    'reason',
    sheddingReasons,
  ),
  mcpFailures: new Counter(
    'drydock_mcp_failures_total',
    'Requests to MCP servers that failed, by what went wrong; busy are those that found no room here',
    'kind',
    ['busy', 'timeout', 'refused', 'closed', 'rpc', 'unauthorized'],
  ),
  modelFailures: new Counter(
    'drydock_model_failures_total',
    'Calls of models that failed, by what went wrong',
    'kind',
    ['rate-limited', 'quota', 'overloaded', 'network', 'unauthorized', 'aborted'],
  ),
  webhookDeliveries: new Counter(
    'drydock_webhook_deliveries_total',
    'Attempts to deliver to a webhook, by what became of the delivery; dead is given up',
    'outcome',
    ['delivered', 'pending', 'dead'],
  ),
  blobFailures: new Counter(
    'drydock_blob_failures_total',
    'Blobs that could not be written, read or removed',
    'operation',
    ['put', 'read', 'remove'],
  ),
};

/** The text format of Prometheus. */
export function prometheusText(families: readonly Family[]): string {
  return [...families]
    .flatMap((family) => [...linesOf(family)])
    .join('\n')
    .concat('\n');
}

function* linesOf(family: Family): Generator<string> {
  const { name, help, type } = family;
  yield `# HELP ${name} ${help}`;
  yield `# TYPE ${name} ${type}`;
  if (type !== 'histogram') {
    for (const { labels, value } of family.values) yield `${name}${inBraces(labels)} ${value}`;
    return;
  }
  for (const { labels, bounds, buckets, sum, count } of family.distributions) {
    let below = 0;
    for (const [nth, bound] of bounds.entries())
      yield `${name}_bucket${inBraces({ ...labels, le: String(bound) })} ${(below += buckets[nth] as number)}`;
    yield `${name}_bucket${inBraces({ ...labels, le: '+Inf' })} ${count}`;
    yield `${name}_sum${inBraces(labels)} ${sum}`;
    yield `${name}_count${inBraces(labels)} ${count}`;
  }
}

function inBraces(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
