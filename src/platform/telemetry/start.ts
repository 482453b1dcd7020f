import type { Log } from '../log.ts';
import type { Family } from './metrics.ts';
import { installTracer } from './tracing.ts';
import { telemetrySettings } from './variables.ts';

/** Milliseconds that the last delivery may take when the service stops. */
const lastDelivery = 3_000;
const warningEvery = 60_000;

interface Telemetry {
  /** Sends what is left, as far as that works at once. */
  stop(): Promise<void>;
}

/** Traces and metrics go to a collector, if the environment names one; else nothing is loaded and nothing is kept. */
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
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, lastDelivery)));
      await Promise.race([exporting.shutdown(), late]);
      clearTimeout(timer);
    },
  };
}

/** A collector that is away is worth one line a minute. */
function seldom(log: Log): (signal: 'traces' | 'metrics', reason: string) => void {
  const missed = { traces: 0, metrics: 0 };
  let silentUntil = -Infinity;
  return (signal, reason) => {
    missed[signal]++;
    if (performance.now() < silentUntil) return;
    silentUntil = performance.now() + warningEvery;
    log.warn('The collector did not take what was sent to it', { signal, reason, ...missed });
    missed.traces = 0;
    missed.metrics = 0;
  };
}
