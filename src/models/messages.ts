import type { LanguageModelV3Prompt, LanguageModelV3ToolResultOutput } from '@ai-sdk/provider';

/** The result of a tool call in the format for models. */
export type ToolOutput = LanguageModelV3ToolResultOutput;

export interface TextPart {
  type: 'text';
  text: string;
}

export interface ToolCallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  /** An object, or the text that the model sent instead. */
  input: unknown;
}

interface ToolResultPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ToolOutput;
}

/** A message as it is stored and shown. */
export type TurnMessage =
  | { role: 'user'; content: string | TextPart[] }
  | { role: 'assistant'; content: string | (TextPart | ToolCallPart)[] }
  | { role: 'tool'; content: ToolResultPart[] };

/** Converts messages into the format of the library. */
export function promptOf(system: string | undefined, history: readonly TurnMessage[]): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = system ? [{ role: 'system', content: system }] : [];
  for (const message of history) {
    if (message.role === 'user') prompt.push({ role: 'user', content: partsOf(message.content) });
    else if (message.role === 'tool') prompt.push({ role: 'tool', content: message.content.map(named) });
    else {
      const parts = partsOf(message.content).map((part) =>
        part.type === 'tool-call' ? { ...named(part), input: inputForModel(part.input) } : part,
      );
      // Providers refuse empty messages.
      if (parts.length > 0) prompt.push({ role: 'assistant', content: parts });
    }
  }
  return prompt;
}

/** Providers accept only objects. The result of the call tells the model what was wrong with its input. */
export function inputForModel(input: unknown): object {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
}

/** A model may call a tool by a name that its provider refuses in later messages. */
export function nameForModel(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';
}

function named<Part extends { toolName: string }>(part: Part): Part {
  return { ...part, toolName: nameForModel(part.toolName) };
}

function partsOf<Part>(content: string | Part[]): (Part | TextPart)[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}
