import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import type { CallSize } from '../../models/cost.ts';
import { failureOf, ModelFailure, unlessAborted } from '../../models/failure.ts';
import { type Usage, usageOf } from '../../models/usage.ts';

export interface CallEnd {
  /** Undefined if it was answered. */
  failure?: ModelFailure;
  usage: Usage;
  size: CallSize;
}

export interface Meter {
  /** Called before each provider request; may refuse. */
  begin: (
    inputBytes: number,
    maxOutputTokens: number | undefined,
  ) => Promise<(end: CallEnd) => Promise<void>>;
  /** Milliseconds a call continues after its caller has gone, so that the provider reports its cost. */
  abandonedTimeout: number;
}

/** A model whose requests all pass `begin`, and whose ends are reported to the meter. */
export class MeteredModel implements LanguageModelV3 {
  readonly specificationVersion = 'v3';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: LanguageModelV3['supportedUrls'];
  private readonly model: LanguageModelV3;
  private readonly meter: Meter;
  private readonly open = new Set<Promise<unknown>>();

  constructor(model: LanguageModelV3, meter: Meter) {
    this.model = model;
    this.meter = meter;
    this.provider = model.provider;
    this.modelId = model.modelId;
    this.supportedUrls = model.supportedUrls;
  }

  doGenerate: LanguageModelV3['doGenerate'] = async (options) => {
    const call = await this.begin(options);
    const work = async (): Promise<LanguageModelV3GenerateResult> => {
      try {
        const result = await this.model.doGenerate({ ...options, abortSignal: call.signal });
        for (const part of result.content) call.record(part);
        await call.end(result.usage);
        return result;
      } catch (error) {
        throw await call.fail(error);
      }
    };
    return unlessAborted(this.tracked(work()), options.abortSignal);
  };

  doStream: LanguageModelV3['doStream'] = async (options) => {
    const call = await this.begin(options);
    const started = Promise.resolve(this.model.doStream({ ...options, abortSignal: call.signal }));
    const { abortSignal } = options;
    let reader: ReadableStreamDefaultController<LanguageModelV3StreamPart> | null = null;
    const stream = new ReadableStream<LanguageModelV3StreamPart>({
      start: (controller) => void (reader = controller),
      cancel: () => void (reader = null),
    });
    const toReader = (report: (controller: NonNullable<typeof reader>) => void): void => {
      if (reader) report(reader);
    };
    const leave = (error: unknown): void => {
      toReader((controller) => controller.error(error));
      reader = null;
    };
    const left = (): void => leave(givenUp());
    abortSignal?.addEventListener('abort', left, { once: true });
    const read = async (): Promise<void> => {
      let usage: LanguageModelV3Usage | undefined;
      try {
        for await (const part of (await started).stream) {
          if (part.type === 'error') throw part.error;
          if (part.type === 'finish') usage = part.usage;
          call.record(part);
          toReader((controller) => controller.enqueue(part));
        }
        await call.end(usage);
        toReader((controller) => controller.close());
      } catch (error) {
        leave(await call.fail(error));
      } finally {
        abortSignal?.removeEventListener('abort', left);
      }
    };
    const reading = this.tracked(read());
    try {
      const { stream: _, ...rest } = await unlessAborted(started, abortSignal);
      return { ...rest, stream };
    } catch (error) {
      if (!abortSignal?.aborted) await reading;
      throw error;
    }
  };

  /** Resolves when no request is under way, including ones whose caller has gone. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.open);
  }

  private tracked<T>(work: Promise<T>): Promise<T> {
    this.open.add(work);
    return work.finally(() => this.open.delete(work));
  }

  private async begin(options: LanguageModelV3CallOptions): Promise<MeteredCall> {
    const { prompt, tools, maxOutputTokens, abortSignal } = options;
    if (abortSignal?.aborted) throw givenUp();
    const input = Buffer.byteLength(JSON.stringify([prompt, tools]));
    const report = await this.meter.begin(input, maxOutputTokens);
    return new MeteredCall(input, report, abortSignal, this.meter.abandonedTimeout);
  }
}

class MeteredCall {
  private readonly size: CallSize;
  private readonly report: (end: CallEnd) => Promise<void>;
  private readonly caller: AbortSignal | undefined;
  private readonly own = new AbortController();
  private readonly abandonedTimeout: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    input: number,
    report: (end: CallEnd) => Promise<void>,
    caller: AbortSignal | undefined,
    abandonedTimeout: number,
  ) {
    this.size = { input, output: 0 };
    this.report = report;
    this.caller = caller;
    this.abandonedTimeout = abandonedTimeout;
    caller?.addEventListener('abort', this.left, { once: true });
    if (caller?.aborted) this.left();
  }

  get signal(): AbortSignal {
    return this.own.signal;
  }

  record(part: LanguageModelV3StreamPart | LanguageModelV3Content): void {
    if ('delta' in part) this.size.output += Buffer.byteLength(part.delta);
    else if (part.type === 'text' || part.type === 'reasoning')
      this.size.output += Buffer.byteLength(part.text);
    else if (part.type === 'tool-call')
      this.size.output += Buffer.byteLength(part.toolName) + Buffer.byteLength(part.input);
  }

  async end(usage: LanguageModelV3Usage | undefined): Promise<void> {
    this.over();
    await this.report({ usage: usage ? usageOf(usage) : {}, size: this.size });
  }

  /** Reports the failure of the call and returns it. */
  async fail(error: unknown): Promise<ModelFailure> {
    this.over();
    const failure = failureOf(error, { signal: this.own.signal, now: Date.now() });
    await this.report({ failure, usage: {}, size: this.size });
    return failure;
  }

  private left = (): void => {
    if (this.abandonedTimeout === 0) return this.own.abort();
    this.timer = setTimeout(() => this.own.abort(), this.abandonedTimeout);
    // The timer must not keep the process alive.
    this.timer.unref();
  };

  private over(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.left);
  }
}

function givenUp(): ModelFailure {
  return new ModelFailure('aborted', 'The model call was aborted');
}
