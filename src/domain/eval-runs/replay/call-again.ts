import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { type CallEnd, compareResults, type DeclaredTool, isFailure } from '../../../evaluation/index.ts';
import type { CallOutcome, TrialServer } from '../../../trials/tools.ts';
import type { RecordedCall } from './recorded-calls.ts';

export type ReplayedCall = OutputOf<Operations['replayEvalRun']>['items'][number];

/** A connected server, or why it is unavailable. */
export type ServerNow = TrialServer | { unavailable: string };

export interface Calling {
  includeWrites: boolean;
  /** Aborts when the client disconnects. */
  gone: AbortSignal;
  /** Aborts calls still running at the deadline. */
  ends: AbortSignal;
  /** No new calls start after this time (performance clock). */
  beginsUntil: number;
}

/** Concurrent calls on one server. */
const atOnce = 4;
/** Unanswered calls after which the server is not called any more. */
const maxFailures = 3;

/** Repeats calls on one server. Calls not started before the deadline are omitted, except the first. */
export async function callAgain(
  server: ServerNow,
  calls: readonly RecordedCall[],
  calling: Calling,
): Promise<Map<RecordedCall, ReplayedCall>> {
  const done = new Map<RecordedCall, ReplayedCall>();
  const queue = calls.values();
  let failures = 0;
  const work = async (): Promise<void> => {
    for (const call of queue) {
      const first = done.size === 0;
      if (!first && performance.now() > calling.beginsUntil && failures < maxFailures) return;
      const now =
        failures < maxFailures ? server : { unavailable: 'The server did not respond to several calls' };
      const replayed = await replay(now, call, calling);
      if (replayed.outcome === 'unavailable') failures++;
      done.set(call, replayed);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return done;
}

async function replay(server: ServerNow, call: RecordedCall, calling: Calling): Promise<ReplayedCall> {
  const { iterationId, serverId, toolName, before } = call;
  const known = 'unknown' in before ? undefined : before;
  const shown = {
    iterationId,
    serverId,
    toolName,
    arguments: shownArguments(call.arguments),
    pointers: [],
    ...(known && { before: sideOf(known) }),
  };
  if ('unknown' in before) return { ...shown, outcome: 'skipped', reason: before.unknown };
  if ('unavailable' in server) return { ...shown, outcome: 'unavailable', reason: server.unavailable };
  const tool = server.tools.find(({ name }) => name === toolName);
  if (!tool) return goneTool(shown, before);
  if (!calling.includeWrites && !isReadOnly(tool))
    return { ...shown, outcome: 'skipped', reason: 'The tool is not declared read-only' };
  const began = performance.now();
  const outcome = await callOrGiveUp(server, call, calling);
  const durationMs = Math.round(performance.now() - began);
  const after = endOf(outcome);
  if ('unavailable' in after)
    return { ...shown, outcome: 'unavailable', reason: after.unavailable, durationMs };
  const comparison = compareResults(before, after, tool.outputSchema);
  return { ...shown, ...comparison, after: sideOf(after), durationMs };
}

/** The tool no longer exists: an error if the recorded call succeeded, skipped if it failed too. */
function goneTool(shown: Omit<ReplayedCall, 'outcome'>, before: CallEnd): ReplayedCall {
  const reason = 'The server no longer has the tool';
  return isFailure(before)
    ? { ...shown, outcome: 'skipped', reason: 'The server has no such tool' }
    : { ...shown, outcome: 'error', reason };
}

function isReadOnly({ annotations }: DeclaredTool): boolean {
  const { readOnlyHint, destructiveHint } = (annotations ?? {}) as Record<string, unknown>;
  return readOnlyHint === true && destructiveHint !== true;
}

async function callOrGiveUp(
  server: TrialServer,
  call: RecordedCall,
  { gone, ends }: Calling,
): Promise<CallOutcome> {
  try {
    return await server.call(call.toolName, call.arguments, AbortSignal.any([gone, ends]));
  } catch (error) {
    gone.throwIfAborted();
    if (ends.aborted) return { failure: { message: 'The server did not respond before the request ended' } };
    throw error;
  }
}

/** A protocol error is an answer; any other failure means that the server was unavailable. */
function endOf(outcome: CallOutcome): CallEnd | { unavailable: string } {
  if ('result' in outcome) return outcome;
  const { message, code } = outcome.failure;
  return code === undefined ? { unavailable: cut(message, maxReasonLength) } : { error: { code, message } };
}

const maxReasonLength = 500;
const maxPreviewLength = 500;
const maxArgumentsLength = 4_096;

function shownArguments(given: Record<string, unknown>): Record<string, unknown> {
  const { length } = JSON.stringify(given);
  return length > maxArgumentsLength ? { cut: true, characters: length } : given;
}

function sideOf(end: CallEnd): { isError: boolean; preview: string } {
  return { isError: isFailure(end), preview: cut(textOf(end), maxPreviewLength) };
}

function textOf(end: CallEnd): string {
  if ('error' in end) return end.error.message;
  const { content, structuredContent } = end.result;
  const parts = Array.isArray(content) ? (content as unknown[]) : [];
  const texts: string[] = [];
  let length = 0;
  for (const part of parts) {
    const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
    const said = type === 'text' && typeof text === 'string' ? text : `[${String(type).slice(0, 100)}]`;
    texts.push(said.slice(0, maxPreviewLength));
    length += said.length;
    if (length > maxPreviewLength) break;
  }
  return texts.length > 0 || structuredContent === undefined
    ? texts.join('\n')
    : JSON.stringify(structuredContent);
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;
}
