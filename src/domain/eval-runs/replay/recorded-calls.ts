import { createHash } from 'node:crypto';
import type { CallEnd } from '../../../evaluation/index.ts';
import { canonicalJson } from '../../../platform/canonical.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { weightOf } from '../../../platform/json/bounds.ts';
import type { Frame } from '../../../trials/recorder.ts';
import { readTrace } from '../../artifacts/traces.ts';
import type { Services } from '../../context/context.ts';

/** A tool call from a trace. */
export interface RecordedCall {
  iterationId: string;
  place: CallPosition;
  /** Equal for the same server, tool and arguments. */
  key: string;
  serverId: string;
  toolName: string;
  arguments: Record<string, unknown>;
  /** The recorded result, or why it is unknown. */
  before: CallEnd | { unknown: string };
}

/** Position of a call: its trial, and its frame number in the trace. */
export interface CallPosition {
  position: number;
  frame: number;
}

interface Wanted {
  runId: string;
  serverIds: ReadonlySet<string>;
  iterationIds?: readonly string[] | undefined;
  tools?: ReadonlySet<string> | undefined;
  from: CallPosition;
  /** Keys of calls replayed on earlier pages. */
  made: ReadonlySet<string>;
  limit: number;
  /** When to stop reading (performance clock). */
  until: number;
}

const pageSize = 20;
/** Characters of calls and results in memory after which a page ends. */
const maxHeld = 16 * 1024 * 1024;

/** Distinct calls of a run in trial order; `next` is where the next page starts. */
export async function recordedCalls(
  services: Pick<Services, 'db' | 'blobs'>,
  wanted: Wanted,
): Promise<{ calls: RecordedCall[]; next?: CallPosition }> {
  const { serverIds, tools, made, limit, until } = wanted;
  const calls: RecordedCall[] = [];
  const taken = new Set(made);
  let held = 0;
  for await (const { frames, iterationId, position, first } of traces(services, wanted)) {
    for (const [index, frame] of frames.entries()) {
      if (index < first || !serverIds.has(frame.serverId) || tools?.has(frame.params.name) === false)
        continue;
      const call = callIn(frame, iterationId, { position, frame: index });
      if (taken.has(call.key)) continue;
      if (calls.length >= limit || held > maxHeld) return { calls, next: call.place };
      taken.add(call.key);
      held += weightOf(frame);
      calls.push(call);
    }
    // Stops only between traces, so that every page makes progress.
    if (performance.now() > until) return { calls, next: { position: position + 1, frame: 0 } };
  }
  return { calls };
}

interface TrialFrames {
  iterationId: string;
  position: number;
  frames: Frame[];
  /** Index of the first frame to read; earlier ones were on earlier pages. */
  first: number;
}

async function* traces(
  services: Pick<Services, 'db' | 'blobs'>,
  { runId, iterationIds, from }: Wanted,
): AsyncGenerator<TrialFrames> {
  const ids = iterationIds ? [...iterationIds] : null;
  let at = from.position;
  for (;;) {
    const rows = await services.db.rows(trials.tracesFrom, { runId, from: at, ids, most: pageSize });
    for (const row of rows) {
      const { id: iterationId, position } = row;
      const { trace } = await readTrace(services, row);
      const first = position === from.position ? from.frame : 0;
      yield { iterationId, position, frames: framesIn(trace), first };
      at = position + 1;
    }
    if (rows.length < pageSize) return;
  }
}

/** Traces may be reported by clients; frames of another form are skipped. */
function framesIn(trace: Record<string, unknown> | undefined): Frame[] {
  const frames = trace?.['frames'];
  return Array.isArray(frames) ? frames.filter(isFrame) : [];
}

function isFrame(frame: unknown): frame is Frame {
  const { serverId, params } = (frame ?? {}) as Partial<Frame>;
  return (
    typeof serverId === 'string' && typeof params?.name === 'string' && typeof params.arguments === 'object'
  );
}

function callIn(frame: Frame, iterationId: string, place: CallPosition): RecordedCall {
  const { serverId, params } = frame;
  const called = canonicalJson([serverId, params.name, params.arguments]);
  return {
    iterationId,
    place,
    key: createHash('sha256').update(called).digest('base64url').slice(0, keyLength),
    serverId,
    toolName: params.name,
    arguments: params.arguments,
    before: endOf(frame, called),
  };
}

/** 48 bits: a few thousand keys collide about once in a hundred million runs. */
export const keyLength = 8;

function endOf({ result, error }: Frame, called: string): RecordedCall['before'] {
  if (called.includes('[hidden]'))
    return { unknown: 'The arguments contained a secret, which traces do not keep' };
  if (error)
    return error.code === undefined ? { unknown: 'The server did not respond in the run' } : { error };
  if (typeof result !== 'object' || result === null)
    return { unknown: 'The trace has no result for this call' };
  const { cut, content } = result as { cut?: unknown; content?: unknown };
  if (cut === true && content === undefined)
    return { unknown: 'The result was too large; the trace keeps only its beginning' };
  return { result: result as Record<string, unknown> };
}
