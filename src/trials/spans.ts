import type { ToolCall } from '../evaluation/index.ts';
import type { TurnStep } from '../models/turn.ts';
import type { WidgetCall } from '../widgets/bridge.ts';
import type { WidgetObservation } from '../widgets/render.ts';
import type { CallAnswer, CallOutcome } from './tools.ts';
import type { ShownCall } from './widgets.ts';

/** A span in a trace, in milliseconds since its start. */
export interface Span {
  id: string;
  parentId?: string;
  name: string;
  category: 'step' | 'llm' | 'tool' | 'error';
  startMs: number;
  endMs: number;
  promptIndex?: number;
  stepIndex?: number;
  authoredStepId?: string;
  status?: 'ok' | 'error';
  [field: string]: unknown;
}

/** Collects the spans of a trial. */
export class Spans {
  readonly list: Span[] = [];
  readonly started: number;
  private widgetCalls = 0;

  constructor(started: number) {
    this.started = started;
  }

  modelStep(
    step: TurnStep<CallAnswer>,
    promptIndex: number,
    authoredStepId: string,
    modelId: string | undefined,
  ): void {
    const id = `prompt-${promptIndex}-step-${step.index}`;
    const place = { promptIndex, stepIndex: step.index, authoredStepId };
    this.add({
      id,
      name: `Step ${step.index + 1}`,
      category: 'step',
      startMs: step.startedAt - this.started,
      endMs: step.endedAt - this.started,
      ...place,
      status: 'ok',
    });
    const { inputTokens, outputTokens } = step.usage;
    const total =
      inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens;
    this.add({
      id: `${id}-llm`,
      parentId: id,
      name: modelId ?? 'model',
      category: 'llm',
      startMs: step.modelStartedAt - this.started,
      endMs: step.modelEndedAt - this.started,
      ...place,
      status: 'ok',
      ...(modelId !== undefined && { modelId }),
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
      ...(total !== undefined && { totalTokens: total }),
      finishReason: step.finish.unified,
      ...(step.responseId !== undefined && { responseId: step.responseId }),
      ...(step.attempts > 1 && { attempts: step.attempts }),
    });
  }

  toolCall(
    call: ToolCall,
    outcome: CallOutcome,
    startMs: number,
    endMs: number,
    authoredStepId: string,
    /** The model step that made the call. Undefined for a call made by the case itself. */
    stepIndex: number | undefined,
  ): void {
    const { toolCallId, toolName, serverId, promptIndex } = call;
    const failed = 'failure' in outcome || outcome.result['isError'] === true;
    const code = 'failure' in outcome ? outcome.failure.code : undefined;
    const fields = {
      ...(stepIndex !== undefined && { parentId: `prompt-${promptIndex}-step-${stepIndex}` }),
      name: toolName,
      startMs,
      endMs,
      promptIndex,
      stepIndex: stepIndex ?? 0,
      authoredStepId,
      toolCallId,
      toolName,
      ...(serverId !== undefined && { serverId }),
    };
    this.add({
      id: `tool-${toolCallId}`,
      category: 'tool',
      status: failed ? 'error' : 'ok',
      ...fields,
      ...(code !== undefined && { mcpErrorCode: code }),
    });
    if (failed) this.add({ id: `tool-err-${toolCallId}`, category: 'error', status: 'error', ...fields });
  }

  /** Adds the rendering of a widget. */
  render(
    { toolCallId, toolName, promptIndex, server }: ShownCall,
    { status, resourceUri, problem }: WidgetObservation,
    startMs: number,
    endMs: number,
  ): void {
    this.add({
      id: `widget-${toolCallId}`,
      parentId: `tool-${toolCallId}`,
      name: `Widget of ${toolName}`,
      category: 'step',
      startMs,
      endMs,
      promptIndex,
      status: status === 'rendered' ? 'ok' : 'error',
      toolName,
      serverId: server.id,
      renderStatus: status,
      resourceUri,
      ...(problem !== undefined && { problem }),
    });
  }

  /** Adds a tool call by a widget. */
  widgetCall(
    { toolName, startedAt, endedAt, error }: WidgetCall,
    { toolCallId, promptIndex, server }: ShownCall,
    trialStarted: number,
  ): void {
    this.add({
      id: `tool-widget-${toolCallId}-${++this.widgetCalls}`,
      parentId: `widget-${toolCallId}`,
      name: toolName,
      category: 'tool',
      startMs: Math.max(0, startedAt - trialStarted),
      endMs: Math.max(0, endedAt - trialStarted),
      promptIndex,
      status: error === undefined ? 'ok' : 'error',
      toolName,
      serverId: server.id,
      calledBy: 'widget',
    });
  }

  /** A span has at least one millisecond, so that it is visible. */
  private add(span: Span): void {
    this.list.push({ ...span, endMs: Math.max(span.endMs, span.startMs + 1) });
  }
}
