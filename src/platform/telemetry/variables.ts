import { z } from 'zod';
import { OperatorProblem } from '../problem.ts';

/**
 * The supported standard variables of OpenTelemetry. The library reads most of them, but they are validated here first,
 * because it silently falls back to defaults for invalid values.
 */

const address = z.url({
  protocol: /^https?$/,
  error: 'Write the address of a collector, like http://127.0.0.1:4318',
});
const protocol = z.enum(['http/protobuf', 'http/json'], {
  error: 'Write http/protobuf or http/json; gRPC is not spoken here',
});
const pairs = z
  .string()
  .regex(/^\s*[^=,\s]+=[^,]*(?:,\s*[^=,\s]+=[^,]*)*,?\s*$/, 'Write name=value, with commas between them');
const milliseconds = z.coerce
  .number({ error: 'Write a number of milliseconds' })
  .int()
  .min(1)
  .max(86_400_000);
const count = z.coerce.number({ error: 'Write a number' }).int().min(1).max(1_000_000);
const exporter = z.enum(['otlp', 'none'], { error: 'Write otlp or none' });
const compression = z.enum(['gzip', 'none'], { error: 'Write gzip or none' });

interface Variable<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  fallback: string;
  meaning: string;
}

const endpoint = 'OTEL_EXPORTER_OTLP_ENDPOINT';

const telemetryVariables = {
  [endpoint]: {
    schema: address,
    fallback: 'none: nothing is exported',
    meaning: 'Base URL of the collector, which receives traces at `/v1/traces` and metrics at `/v1/metrics`.',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    schema: address,
    fallback: 'derived from the base URL',
    meaning: 'Full URL for traces. Set alone, only traces are exported.',
  },
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: {
    schema: address,
    fallback: 'derived from the base URL',
    meaning: 'Full URL for metrics. Set alone, only metrics are exported.',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    schema: protocol,
    fallback: 'http/protobuf',
    meaning: '`http/protobuf` or `http/json`; also `…_TRACES_PROTOCOL` and `…_METRICS_PROTOCOL`.',
  },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: { schema: protocol, fallback: '', meaning: '' },
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: { schema: protocol, fallback: '', meaning: '' },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: pairs,
    fallback: 'none',
    meaning:
      'Headers for the collector, like `authorization=Bearer%20…`; also `…_TRACES_HEADERS` and `…_METRICS_HEADERS`.',
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: { schema: pairs, fallback: '', meaning: '' },
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: { schema: pairs, fallback: '', meaning: '' },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    schema: milliseconds,
    fallback: '10000',
    meaning: 'Timeout of an export in milliseconds, retries included; also per signal.',
  },
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: { schema: milliseconds, fallback: '', meaning: '' },
  OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: { schema: milliseconds, fallback: '', meaning: '' },
  OTEL_EXPORTER_OTLP_COMPRESSION: {
    schema: compression,
    fallback: 'none',
    meaning: '`gzip` or `none`; also per signal.',
  },
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: { schema: compression, fallback: '', meaning: '' },
  OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: { schema: compression, fallback: '', meaning: '' },
  OTEL_EXPORTER_OTLP_CERTIFICATE: {
    schema: z.string(),
    fallback: 'the default authorities',
    meaning:
      'File with trusted certificates for the collector; `…_CLIENT_CERTIFICATE` and `…_CLIENT_KEY` authenticate the service.',
  },
  OTEL_TRACES_EXPORTER: { schema: exporter, fallback: 'otlp', meaning: '`none` exports no traces.' },
  OTEL_METRICS_EXPORTER: { schema: exporter, fallback: 'otlp', meaning: '`none` exports no metrics.' },
  OTEL_SERVICE_NAME: { schema: z.string(), fallback: 'drydock', meaning: 'Name of the service.' },
  OTEL_RESOURCE_ATTRIBUTES: {
    schema: pairs,
    fallback: 'none',
    meaning: 'Additional resource attributes, like `deployment.environment.name=production`.',
  },
  OTEL_TRACES_SAMPLER: {
    schema: z.enum(
      [
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ],
      { error: 'Must be an OpenTelemetry sampler, for example parentbased_traceidratio' },
    ),
    fallback: 'parentbased_always_on',
    meaning: 'Trace sampler.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number({ error: 'Write a number from 0 to 1' }).min(0).max(1),
    fallback: '1',
    meaning: 'Ratio for a `…traceidratio` sampler.',
  },
  OTEL_PROPAGATORS: {
    schema: z
      .string()
      .transform((text) => text.split(',').map((each) => each.trim()))
      .refine(
        (list) => list.every((each) => ['tracecontext', 'baggage', 'none'].includes(each)),
        'Write tracecontext or none',
      ),
    fallback: 'tracecontext',
    meaning: '`none` ignores the `traceparent` of callers and starts a new trace. Baggage is never used.',
  },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    schema: count,
    fallback: '2048',
    meaning: 'Maximum queued spans; more are dropped.',
  },
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: { schema: count, fallback: '512', meaning: 'Maximum spans per export.' },
  OTEL_BSP_SCHEDULE_DELAY: {
    schema: milliseconds,
    fallback: '5000',
    meaning: 'Milliseconds between exports of spans.',
  },
  OTEL_BSP_EXPORT_TIMEOUT: {
    schema: milliseconds,
    fallback: '30000',
    meaning: 'Timeout of an export of spans in milliseconds.',
  },
  OTEL_METRIC_EXPORT_INTERVAL: {
    schema: milliseconds,
    fallback: '60000',
    meaning: 'Milliseconds between exports of metrics.',
  },
  OTEL_METRIC_EXPORT_TIMEOUT: {
    schema: milliseconds,
    fallback: '30000, or the interval',
    meaning: 'Timeout of an export of metrics in milliseconds.',
  },
  OTEL_SDK_DISABLED: {
    schema: z.string(),
    fallback: 'false',
    meaning: '`true` disables all exports.',
  },
} satisfies Record<string, Variable>;

type Name = keyof typeof telemetryVariables;

/** Settings that the library does not read itself. */
export interface TelemetrySettings {
  traces: 'http/protobuf' | 'http/json' | undefined;
  metrics: 'http/protobuf' | 'http/json' | undefined;
  /** Whether the `traceparent` of callers is used. */
  continued: boolean;
  interval: number;
  timeout: number;
}

/** Undefined without an endpoint, in which case nothing is exported. */
export function telemetrySettings(env: NodeJS.ProcessEnv): TelemetrySettings | undefined {
  const isSet = (name: string): boolean => (env[name] ?? '').trim() !== '';
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return undefined;
  const wanted = (signal: 'TRACES' | 'METRICS'): boolean =>
    (isSet(endpoint) || isSet(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`)) &&
    env[`OTEL_${signal}_EXPORTER`]?.trim() !== 'none';
  if (!wanted('TRACES') && !wanted('METRICS')) return undefined;

  const read = <N extends Name>(name: N): z.output<(typeof telemetryVariables)[N]['schema']> | undefined => {
    if (!isSet(name)) return undefined;
    const parsed = telemetryVariables[name].schema.safeParse(env[name]?.trim());
    // The error leaves out the value, which may be a secret.
    if (!parsed.success)
      throw new OperatorProblem(`${name} is not valid: ${parsed.error.issues[0]?.message}`);
    return parsed.data as z.output<(typeof telemetryVariables)[N]['schema']>;
  };
  for (const name of Object.keys(telemetryVariables) as Name[]) read(name);
  const spoken = read('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';
  const interval = read('OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000;
  const timeout = read('OTEL_METRIC_EXPORT_TIMEOUT') ?? 30_000;
  return {
    traces: wanted('TRACES') ? (read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? spoken) : undefined,
    metrics: wanted('METRICS') ? (read('OTEL_EXPORTER_OTLP_METRICS_PROTOCOL') ?? spoken) : undefined,
    continued: !(read('OTEL_PROPAGATORS') ?? []).includes('none'),
    interval,
    timeout: Math.min(timeout, interval),
  };
}

/** Name, default and meaning of each variable, for the documentation. */
export function telemetryReference(): [string, string, string][] {
  return Object.entries<Variable>(telemetryVariables)
    .filter(([, { meaning }]) => meaning !== '')
    .map(([name, { fallback, meaning }]) => [name, fallback, meaning]);
}
