import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { asTarget, listen, type Target } from '../targets/listen.ts';
import { bytesAt, fieldsOf, numberAt, textAt } from './protobuf.ts';

export interface SeenSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentId: string;
  /** Trace IDs of linked spans. */
  links: string[];
  attributes: Record<string, unknown>;
}

export interface Collector extends Target {
  url: string;
  spans: SeenSpan[];
  /** Names of the metrics of the last delivery. */
  metrics: string[];
  /** Everything that was sent, as text. */
  raw: string;
  requests: { type: string; authorization: string | undefined }[];
  /** Status of the answers; with 0 there is no answer. */
  status: number;
}

/** An OpenTelemetry collector on loopback that accepts both encodings. */
export async function startCollector(): Promise<Collector> {
  const seen = { spans: [] as SeenSpan[], metrics: [] as string[], raw: '', status: 200 };
  const requests: Collector['requests'] = [];
  const { port, stop } = await listen(async (request, response) => {
    const body = await buffer(request);
    requests.push({ type: typeOf(request), authorization: request.headers.authorization });
    if (seen.status === 0) return;
    if (seen.status === 200) take(request, body);
    response.writeHead(seen.status).end();
  });
  const take = (request: IncomingMessage, body: Buffer): void => {
    seen.raw += body.toString('latin1');
    const json = typeOf(request) === 'application/json';
    if (request.url === '/v1/metrics') seen.metrics = (json ? metricsInJson : metricsInProtobuf)(body);
    else seen.spans.push(...(json ? spansInJson : spansInProtobuf)(body));
  };
  return asTarget(Object.assign(seen, { url: `http://127.0.0.1:${port}`, requests }), stop);
}

function typeOf({ headers }: IncomingMessage): string {
  return headers['content-type'] ?? '';
}

interface JsonSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links?: { traceId: string }[];
  attributes: { key: string; value: Record<string, unknown> }[];
}

function spansInJson(body: Buffer): SeenSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as {
    resourceSpans: { scopeSpans: { spans: JsonSpan[] }[] }[];
  };
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return spans.map(({ name, traceId, spanId, parentSpanId = '', links = [], attributes }) => ({
    name,
    traceId,
    spanId,
    parentId: parentSpanId,
    links: links.map((link) => link.traceId),
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  }));
}

function metricsInJson(body: Buffer): string[] {
  const { resourceMetrics } = JSON.parse(body.toString()) as {
    resourceMetrics: { scopeMetrics: { metrics: { name: string }[] }[] }[];
  };
  const scopes = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics);
  return scopes.flatMap(({ metrics }) => metrics.map(({ name }) => name));
}

/** Spans or metrics: both signals use the same field numbers for resource, scope and item. */
function itemsIn(body: Buffer): Buffer[] {
  return bytesAt(fieldsOf(body), 1)
    .flatMap((resource) => bytesAt(fieldsOf(resource), 2))
    .flatMap((scope) => bytesAt(fieldsOf(scope), 2));
}

function spansInProtobuf(body: Buffer): SeenSpan[] {
  return itemsIn(body).map((item) => {
    const span = fieldsOf(item);
    const hex = (field: number): string => bytesAt(span, field)[0]?.toString('hex') ?? '';
    return {
      name: textAt(span, 5),
      traceId: hex(1),
      spanId: hex(2),
      parentId: hex(4),
      links: bytesAt(span, 13).map((link) => bytesAt(fieldsOf(link), 1)[0]?.toString('hex') ?? ''),
      attributes: Object.fromEntries(bytesAt(span, 9).map(attributeIn)),
    };
  });
}

function attributeIn(bytes: Buffer): [string, unknown] {
  const pair = fieldsOf(bytes);
  const value = fieldsOf(bytesAt(pair, 2)[0] as Buffer);
  return [textAt(pair, 1), value.has(1) ? textAt(value, 1) : numberAt(value, 3)];
}

function metricsInProtobuf(body: Buffer): string[] {
  return itemsIn(body).map((item) => textAt(fieldsOf(item), 1));
}
