import type { LanguageModelV3Prompt, LanguageModelV3ToolResultOutput } from '@ai-sdk/provider';

/** What a model is told about a tool call. */
export type ToolOutput = LanguageModelV3ToolResultOutput;

export interface TextPart {
  type: 'text';
  text: string;
}

export interface ToolCallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  /** An object; the text itself where the model sent something else. */
  input: unknown;
}

interface ToolResultPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ToolOutput;
}

/** A message as it is kept and shown. */
export type TurnMessage =
  | { role: 'user'; content: string | TextPart[] }
  | { role: 'assistant'; content: string | (TextPart | ToolCallPart)[] }
  | { role: 'tool'; content: ToolResultPart[] };

/** Messages as the libraries want them. */
export function promptOf(system: string | undefined, history: readonly TurnMessage[]): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = system ? [{ role: 'system', content: system }] : [];
  for (const message of history) {
    if (message.role === 'user') prompt.push({ role: 'user', content: partsOf(message.content) });
    else if (message.role === 'tool') prompt.push({ role: 'tool', content: message.content.map(named) });
    else {
      const parts = partsOf(message.content).map((part) =>
        part.type === 'tool-call' ? { ...named(part), input: inputForModel(part.input) } : part,
      );
      // Providers refuse a message that says nothing.
      if (parts.length > 0) prompt.push({ role: 'assistant', content: parts });
    }
  }
  return prompt;
}

/** Providers accept nothing but an object; the result that follows tells the model what was wrong. */
export function inputForModel(input: unknown): object {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
}

/** A model may call a tool by a name that its provider refuses to see again. */
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
