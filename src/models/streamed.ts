import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import { ModelFailure } from './failure.ts';

/** Receives text while a model writes. */
export interface Reader {
  text: (text: string) => void;
  /** Discards the text so far, because the model is called again. */
  restart: () => void;
}

/** Streams the model's text to the reader, and returns the whole result as if it had not been streamed. */
export async function generateStreaming(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  reader: Reader,
): Promise<LanguageModelV3GenerateResult> {
  const { stream, request, response } = await model.doStream(options);
  const collector = new StreamCollector(reader);
  for await (const part of stream) collector.take(part);
  return collector.result({ ...(request && { request }), ...(response && { response }) });
}

type Written = Extract<LanguageModelV3Content, { type: 'text' | 'reasoning' }>;

class StreamCollector {
  private readonly reader: Reader;
  private readonly content: LanguageModelV3Content[] = [];
  /** Unfinished parts, by kind and ID. */
  private readonly open = new Map<string, Written>();
  private end: Extract<LanguageModelV3StreamPart, { type: 'finish' }> | undefined;
  private warnings: LanguageModelV3GenerateResult['warnings'] = [];
  private response: LanguageModelV3GenerateResult['response'];

  constructor(reader: Reader) {
    this.reader = reader;
  }

  take(part: LanguageModelV3StreamPart): void {
    switch (part.type) {
      case 'error':
        throw part.error;
      case 'text-start':
      case 'reasoning-start':
        return this.begin(part.type === 'text-start' ? 'text' : 'reasoning', part);
      case 'text-delta':
        this.reader.text(part.delta);
        return this.add('text', part);
      case 'reasoning-delta':
        return this.add('reasoning', part);
      case 'text-end':
      case 'reasoning-end':
        return this.close(part.type === 'text-end' ? 'text' : 'reasoning', part);
      case 'stream-start':
        this.warnings = part.warnings;
        return;
      case 'response-metadata': {
        const { type: _, ...metadata } = part;
        this.response = { ...this.response, ...metadata };
        return;
      }
      case 'finish':
        this.end = part;
        return;
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'raw':
        return;
      default:
        this.content.push(part);
    }
  }

  result(sent: Pick<LanguageModelV3GenerateResult, 'request' | 'response'>): LanguageModelV3GenerateResult {
    const { end, content, warnings } = this;
    if (!end) throw new ModelFailure('network', 'The response of the model ended early');
    const { usage, finishReason, providerMetadata } = end;
    return {
      content,
      usage,
      finishReason,
      warnings,
      ...(providerMetadata && { providerMetadata }),
      ...(sent.request && { request: sent.request }),
      response: { ...sent.response, ...this.response },
    };
  }

  private begin(type: Written['type'], { id, providerMetadata }: Part): void {
    const written: Written = { type, text: '', ...(providerMetadata && { providerMetadata }) };
    this.open.set(`${type} ${id}`, written);
    this.content.push(written);
  }

  private add(type: Written['type'], part: Part & { delta: string }): void {
    const key = `${type} ${part.id}`;
    // Some gateways omit the start event.
    if (!this.open.has(key)) this.begin(type, part);
    const written = this.open.get(key) as Written;
    written.text += part.delta;
    if (part.providerMetadata) written.providerMetadata = part.providerMetadata;
  }

  private close(type: Written['type'], { id, providerMetadata }: Part): void {
    const written = this.open.get(`${type} ${id}`);
    if (written && providerMetadata) written.providerMetadata = providerMetadata;
    this.open.delete(`${type} ${id}`);
  }
}

type Part = Pick<Extract<LanguageModelV3StreamPart, { type: 'text-start' }>, 'id' | 'providerMetadata'>;
