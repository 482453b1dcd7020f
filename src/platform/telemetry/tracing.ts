/**
 * What the rest of the program says about its work. Nobody listens unless a tracer is installed, and then each of these
 * functions costs one comparison. Only this folder knows the library behind it.
 */

/** Ids, counts and words of ours: never a header, a body, a prompt, an address or a message of somebody else. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  kind?: 'server' | 'client' | 'internal' | 'consumer';
  attributes?: Attributes;
  /** `traceparent` of whoever asked; left out, the span that is under way. */
  parent?: string | undefined;
  /** Begins a trace of its own, whatever is under way. */
  alone?: boolean;
  /** `traceparent` of what brought about what is traced alone. */
  cause?: string | undefined;
  /** Not worth a trace of its own: without a span around it there is none. */
  part?: boolean;
}

/** One stretch of work. */
export interface Span {
  set(attributes: Attributes): void;
  /** `kind` is a word of ours. */
  fail(kind: string): void;
  end(): void;
  /** Spans begun inside belong to this one. */
  run<T>(work: () => T): T;
}

export interface Tracer {
  begin(name: string, options: SpanOptions): Span | undefined;
  /** Of the span that is under way, if it is kept. */
  traceparent(): string | undefined;
}

let tracer: Tracer | undefined;

/** What is traced from here on, by everything in this process; answers with how to end that. */
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

/** Does `work` within a span that ends with it. */
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

/** A kind or a code of ours, of the database or of Node, or the class: none of them quotes anybody. */
export function nameOfError(error: unknown): string {
  const { kind, code, name } = (error ?? {}) as Record<string, unknown>;
  const word = [kind, code, name].find((each) => typeof each === 'string' && /^[\w-]{1,60}$/.test(each));
  return typeof word === 'string' ? word : 'Error';
}
