import { sheddingReasons } from '../load-shedder.ts';

/** The metrics of a process, declared once, for Prometheus and OpenTelemetry. */

/** Few and known in advance; never chosen by a caller. */
type Labels = Readonly<Record<string, string>>;

interface Value {
  labels: Labels;
  value: number;
}

interface Distribution {
  labels: Labels;
  /** Upper bounds. An additional bucket takes the rest. */
  bounds: readonly number[];
  buckets: readonly number[];
  sum: number;
  count: number;
}

export type Family = { name: string; help: string } & (
  | { type: 'counter' | 'gauge' | 'summary'; values: readonly Value[] }
  | { type: 'histogram'; distributions: readonly Distribution[] }
);

/** A monotonic counter with one label. */
class Counter {
  private readonly label: string;
  private readonly counts = new Map<string, number>();
  private readonly name: string;
  private readonly help: string;

  constructor(name: string, help: string, label: string, known: readonly string[]) {
    this.name = name;
    this.help = help;
    this.label = label;
    // Starts at zero, so that the first increase is visible.
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

/** Incremented in any part of the program. */
export const counters = {
  rateLimited: new Counter(
    'drydock_rate_limited_total',
    'Requests refused by the rate limit, by the kind of caller that is charged',
    'payer',
    ['API key', 'Session', 'Visitor', 'Guest token'],
  ),
  shed: new Counter(
    'drydock_shed_requests_total',
    'Requests refused because the process is overloaded, by exhausted resource',
    'reason',
    sheddingReasons,
  ),
  mcpFailures: new Counter(
    'drydock_mcp_failures_total',
    'Failed requests to MCP servers, by kind of failure; busy means that this service was overloaded',
    'kind',
    ['busy', 'timeout', 'refused', 'closed', 'rpc', 'unauthorized'],
  ),
  modelFailures: new Counter(
    'drydock_model_failures_total',
    'Failed model calls, by kind of failure',
    'kind',
    ['rate-limited', 'quota', 'overloaded', 'network', 'unauthorized', 'aborted'],
  ),
  webhookDeliveries: new Counter(
    'drydock_webhook_deliveries_total',
    'Webhook delivery attempts, by resulting state of the delivery; dead means given up',
    'outcome',
    ['delivered', 'pending', 'dead'],
  ),
  blobFailures: new Counter('drydock_blob_failures_total', 'Failed operations on blobs', 'operation', [
    'put',
    'read',
    'remove',
  ]),
};

/** Formats metrics in the Prometheus text format. */
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
