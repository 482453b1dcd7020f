import type { Output } from '../../api/index.ts';
import { asSchema } from '../../kit/form/schema.ts';
import { artifactPath, listIn, numberIn, textIn } from '../../kit/given.ts';
import { cut } from '../../kit/text.ts';
import { callAround, type Span, type Trace } from './trace.ts';

/** A frame of an image recording: when it appeared, and where its bytes are. */
export interface Frame {
  atMs: number;
  offset: number;
  length: number;
}

/** The recording of a widget. */
export interface WidgetRecording {
  blobId: string;
  toolCallId: string | undefined;
  toolName: string;
  /** Path on this service. Expires after a few minutes. */
  path: string;
  kind: 'webm' | 'frames';
  /** On the same clock as the spans. */
  startMs: number | undefined;
  frames: Frame[];
}

/** A position in a recording. */
export interface Place {
  blobId: string;
  /** Milliseconds from the start of the recording. */
  ms: number;
}

/** The recordings of a trace. Traces are untrusted, so only URLs of this service are opened. */
export function recordingsOf(trace: Trace): WidgetRecording[] {
  const recordings = listIn(trace['widgetSnapshots']).flatMap((given): WidgetRecording[] => {
    const raw = asSchema(given) ?? {};
    const [blobId, path, kind] = [
      textIn(raw['videoBlobId']),
      artifactPath(raw['videoUrl']),
      raw['videoKind'],
    ];
    if (blobId === undefined || path === undefined || (kind !== 'webm' && kind !== 'frames')) return [];
    return [
      {
        blobId,
        toolCallId: textIn(raw['toolCallId']),
        toolName: cut(textIn(raw['toolName']) ?? 'a tool'),
        path,
        kind,
        startMs: numberIn(raw['videoStartMs']),
        frames: framesIn(raw['videoFrames']),
      },
    ];
  });
  return recordings.filter(({ blobId }, at) => recordings.findIndex((one) => one.blobId === blobId) === at);
}

function framesIn(given: unknown): Frame[] {
  return listIn(given).flatMap((one): Frame[] => {
    const { atMs, offset, length } = asSchema(one) ?? {};
    const [at, from, size] = [numberIn(atMs), numberIn(offset), numberIn(length)];
    return at === undefined || from === undefined || size === undefined
      ? []
      : [{ atMs: at, offset: from, length: size }];
  });
}

/** The frame visible at a time; the first one before it appears. */
export function frameAt(frames: readonly Frame[], ms: number): Frame | undefined {
  return frames.findLast(({ atMs }) => atMs <= ms) ?? frames[0];
}

/**
 * Position of a span: in the recording of its own call, otherwise in the last recording that had begun.
 * Earlier steps map to its beginning; steps that ended during it map to that moment.
 */
export function placeOfSpan(
  span: Span,
  spans: readonly Span[],
  recordings: readonly WidgetRecording[],
): Place | undefined {
  const call = callAround(span, spans);
  const own = call === undefined ? undefined : recordings.find(({ toolCallId }) => toolCallId === call);
  const begun = recordings.filter(({ startMs }) => startMs !== undefined && startMs <= span.start);
  const recording = own ?? begun.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0)).at(-1);
  if (!recording) return undefined;
  const { blobId, startMs = span.end } = recording;
  const at = span.start < startMs ? span.end : span.start;
  return { blobId, ms: Math.max(0, at - startMs) };
}

type Step = Output<'getEvalRunSteps'>['items'][number];

/** A step visible in a recording. */
export interface RecordedStep extends Place {
  id: string;
  number: number;
  words: string;
  status: Step['status'];
  reason: string | undefined;
}

const actions = new Map([
  ['click', 'Click'],
  ['type', 'Type into'],
  ['key', 'Press'],
  ['scroll', 'Scroll'],
  ['wait', 'Wait'],
  ['textVisible', 'See text'],
  ['elementVisible', 'See'],
  ['elementHidden', 'Not see'],
  ['inputValue', 'Read'],
  ['widgetToolCalled', 'See it call'],
]);

export function recordedSteps(steps: readonly Step[]): RecordedStep[] {
  return steps.flatMap(({ stepId, stepIndex, kind, status, reason, evidence = {} }): RecordedStep[] => {
    const [blobId, ms] = [textIn(evidence['videoBlobId']), numberIn(evidence['videoOffsetMs'])];
    if (blobId === undefined || ms === undefined) return [];
    const action = textIn(evidence['action']);
    const verb = action === undefined ? undefined : (actions.get(action) ?? action);
    const words = [
      verb ?? (kind === 'interact' ? 'Action' : 'Check'),
      textIn(evidence['locatorLabel']) ?? '',
    ];
    return [
      { id: stepId, number: stepIndex + 1, words: cut(words.join(' ').trim()), status, reason, blobId, ms },
    ];
  });
}

/** The step in progress at a time. At the start of the selected step, the selected one. */
export function stepAt(
  steps: readonly RecordedStep[],
  now: number,
  chosen: RecordedStep | undefined,
): RecordedStep | undefined {
  if (chosen && Math.abs(chosen.ms - now) < 1) return chosen;
  return steps.findLast(({ ms }) => ms <= now);
}
