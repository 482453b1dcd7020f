import {
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ExportResult, ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { version } from '../version.ts';
import type { Family } from './metrics.ts';
import { producerOf } from './otel-metrics.ts';
import type { Attributes, Span, SpanOptions, Tracer } from './tracing.ts';
import type { TelemetrySettings } from './variables.ts';

/**
 * Wraps the OpenTelemetry library, which is loaded only if a collector is configured. The tracer is not registered
 * globally, so other libraries are not traced.
 */

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
  consumer: SpanKind.CONSUMER,
};

/** Called when an export failed, with the signal and a short reason. */
export type NotDelivered = (signal: 'traces' | 'metrics', reason: string) => void;

export interface Exporting {
  tracer: Tracer | undefined;
  /** Exports the remaining data. */
  shutdown(): Promise<void>;
}

export function startExporting(
  settings: TelemetrySettings,
  families: () => Promise<Family[]>,
  notDelivered: NotDelivered,
): Exporting {
  const resource = resourceFromAttributes({
    'service.name': 'drydock',
    'service.version': version,
    'service.instance.id': crypto.randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
  const ends: (() => Promise<void>)[] = [];
  const tracer = settings.traces && traceTo(settings, resource, notDelivered, ends);
  if (settings.metrics) measureTo(settings, resource, families, notDelivered, ends);
  return { tracer, shutdown: async () => void (await Promise.allSettled(ends.map((end) => end()))) };
}

function traceTo(
  settings: TelemetrySettings,
  resource: Resource,
  notDelivered: NotDelivered,
  ends: (() => Promise<void>)[],
): Tracer {
  const exporter = settings.traces === 'http/json' ? new JsonTraces() : new ProtobufTraces();
  watch(exporter, (reason) => notDelivered('traces', reason));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  ends.push(() => provider.shutdown());
  const contexts = new AsyncLocalStorageContextManager().enable();
  return new OpenTelemetryTracer(provider.getTracer('drydock', version), contexts, settings.continued);
}

function measureTo(
  { metrics, interval, timeout }: TelemetrySettings,
  resource: Resource,
  families: () => Promise<Family[]>,
  notDelivered: NotDelivered,
  ends: (() => Promise<void>)[],
): void {
  const exporter = metrics === 'http/json' ? new JsonMetrics() : new ProtobufMetrics();
  watch(exporter, (reason) => notDelivered('metrics', reason));
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: interval,
    exportTimeoutMillis: timeout,
    metricProducers: [producerOf(families, resource)],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  ends.push(() => provider.shutdown());
}

/**
 * Watches the result of each export. A collector's answer may quote the exported data, so only its status is logged.
 */
function watch(
  exporter: { export(items: never, done: (result: ExportResult) => void): void },
  failed: (reason: string) => void,
): void {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code !== ExportResultCode.SUCCESS) failed(reasonOf(result.error));
      done(result);
    });
}

function reasonOf(error: Error | undefined): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'number') return `status ${code}`;
    if (typeof code === 'string' && /^\w+$/.test(code)) return code;
    const found = /\b(E[A-Z]{4,}|timed? ?out)\b/i.exec(cause.message)?.[1];
    if (found !== undefined) return found;
  }
  return error?.name ?? 'no answer';
}

class OpenTelemetryTracer implements Tracer {
  private readonly tracer: OtelTracer;
  private readonly contexts: AsyncLocalStorageContextManager;
  private readonly continued: boolean;

  constructor(tracer: OtelTracer, contexts: AsyncLocalStorageContextManager, continued: boolean) {
    this.tracer = tracer;
    this.contexts = contexts;
    this.continued = continued;
  }

  begin(name: string, options: SpanOptions): Span | undefined {
    const { kind = 'internal', attributes, parent, alone, cause, part } = options;
    const active = this.contexts.active();
    // A trace that is not sampled records no parts either.
    if (part && !trace.getSpan(active)?.isRecording()) return undefined;
    const link = cause === undefined ? undefined : remote(cause);
    const context = this.contextFor(parent, alone ? ROOT_CONTEXT : active);
    const span = this.tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        ...(attributes && { attributes }),
        ...(link && { links: [{ context: link }] }),
      },
      context,
    );
    return new OpenTelemetrySpan(span, trace.setSpan(context, span), this.contexts);
  }

  traceparent(): string | undefined {
    const span = trace.getSpan(this.contexts.active())?.spanContext();
    if (!span || !(span.traceFlags & TraceFlags.SAMPLED)) return undefined;
    return `00-${span.traceId}-${span.spanId}-01`;
  }

  private contextFor(parent: string | undefined, otherwise: Context): Context {
    const told = parent !== undefined && this.continued ? remote(parent) : undefined;
    return told ? trace.setSpanContext(ROOT_CONTEXT, told) : otherwise;
  }
}

function remote(traceparent: string): NonNullable<ReturnType<typeof parseTraceParent>> | undefined {
  const parsed = parseTraceParent(traceparent);
  return parsed ? { ...parsed, isRemote: true } : undefined;
}

class OpenTelemetrySpan implements Span {
  private readonly span: OtelSpan;
  private readonly context: Context;
  private readonly contexts: AsyncLocalStorageContextManager;

  constructor(span: OtelSpan, context: Context, contexts: AsyncLocalStorageContextManager) {
    this.span = span;
    this.context = context;
    this.contexts = contexts;
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  fail(kind: string): void {
    this.span.setAttribute('error.type', kind);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }

  run<T>(work: () => T): T {
    return this.contexts.with(this.context, work);
  }
}
