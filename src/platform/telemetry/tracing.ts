/**
 * The tracing interface for the rest of the program, independent of the library. Without an installed tracer each
 * function costs one comparison.
 */

/** IDs, counts and fixed words: never a header, body, prompt, address or foreign message. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  kind?: 'server' | 'client' | 'internal' | 'consumer';
  attributes?: Attributes;
  /** The `traceparent` of the caller. Default: the current span. */
  parent?: string | undefined;
  /** Starts a new trace, whatever the current span. */
  alone?: boolean;
  /** The `traceparent` that caused a new trace. */
  cause?: string | undefined;
  /** Recorded only inside another span. */
  part?: boolean;
}

/** A unit of work. */
export interface Span {
  set(attributes: Attributes): void;
  /** `kind` is a fixed word. */
  fail(kind: string): void;
  end(): void;
  /** Spans started inside are children of this one. */
  run<T>(work: () => T): T;
}

export interface Tracer {
  begin(name: string, options: SpanOptions): Span | undefined;
  /** The trace context header of the current span, if it is sampled. */
  traceparent(): string | undefined;
}

let tracer: Tracer | undefined;

/** Installs a tracer for this process. Returns a function to uninstall it. */
export function installTracer(installed: Tracer): () => void {
  tracer = installed;
  return () => {
    if (tracer === installed) tracer = undefined;
  };
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

export function beginSpan(name: string, options: SpanOptions = {}): Span | undefined {
  return tracer?.begin(name, options);
}

export function currentTraceparent(): string | undefined {
  return tracer?.traceparent();
}

/** Runs `work` in a span that ends with it. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = beginSpan(name, options);
  if (!span) return work(undefined);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(nameOfError(error));
    throw error;
  } finally {
    span.end();
  }
}

/** The kind, code or class of an error, none of which quotes any input. */
export function nameOfError(error: unknown): string {
  const { kind, code, name } = (error ?? {}) as Record<string, unknown>;
  const word = [kind, code, name].find((each) => typeof each === 'string' && /^[\w-]{1,60}$/.test(each));
  return typeof word === 'string' ? word : 'Error';
}
