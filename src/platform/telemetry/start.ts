import { withTimeout } from '../flow/deadline.ts';
import type { Log } from '../log.ts';
import type { Family } from './metrics.ts';
import { installTracer } from './tracing.ts';
import { telemetrySettings } from './variables.ts';

/** Milliseconds for the last export at shutdown. */
const lastDelivery = 3_000;
/** Milliseconds between two warnings about failed exports. */
const warningInterval = 60_000;

interface Telemetry {
  /** Exports the remaining data if that is quickly possible. */
  stop(): Promise<void>;
}

/** Exports traces and metrics if the environment names a collector. Otherwise nothing is loaded or recorded. */
export async function startTelemetry(
  env: NodeJS.ProcessEnv,
  log: Log,
  families: () => Promise<Family[]>,
): Promise<Telemetry | undefined> {
  const settings = telemetrySettings(env);
  if (!settings) return undefined;
  const { startExporting } = await import('./otel.ts');
  const exporting = startExporting(settings, families, seldom(log));
  const uninstall = exporting.tracer ? installTracer(exporting.tracer) : (): void => {};
  return {
    stop: async () => {
      uninstall();
      await withTimeout(lastDelivery, exporting.shutdown(), () => {});
    },
  };
}

/** Warns about an unavailable collector at most once a minute. */
function seldom(log: Log): (signal: 'traces' | 'metrics', reason: string) => void {
  const missed = { traces: 0, metrics: 0 };
  let silentUntil = -Infinity;
  return (signal, reason) => {
    missed[signal]++;
    if (performance.now() < silentUntil) return;
    silentUntil = performance.now() + warningInterval;
    log.warn('Export to the collector failed', { signal, reason, ...missed });
    missed.traces = 0;
    missed.metrics = 0;
  };
}
