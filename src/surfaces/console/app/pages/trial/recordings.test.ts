import { expect, test } from 'vitest';
import { frameAt, placeOfSpan, recordedSteps, recordingsOf, stepAt } from './recordings.ts';
import { spansOf, type Trace } from './trace.ts';

const address = (token: string): string => `http://elsewhere:1/api/v1/artifacts/${token}`;
const widget = (n: number, more: object = {}) => ({
  toolCallId: `c${n}`,
  toolName: 'counter',
  videoBlobId: `b${n}`,
  videoKind: 'frames',
  videoUrl: address(`t${n}`),
  videoStartMs: n * 100,
  ...more,
});
const trace = {
  traceVersion: 1,
  messages: [],
  widgetSnapshots: [
    widget(1, {
      videoFrames: [{ atMs: 5, offset: 0, length: 9 }, { atMs: 40, offset: 9, length: 9 }, { atMs: 7 }],
    }),
    widget(2),
    widget(2),
    widget(3, { videoUrl: 'https://elsewhere/api/v1/artifacts/x/../../console' }),
    widget(4, { videoUrl: 'javascript:alert(1)' }),
    widget(5, { videoKind: 'exe' }),
    null,
  ],
  spans: [
    { id: 'before', startMs: 10 },
    { id: 't1', category: 'tool', startMs: 50, toolCallId: 'c1' },
    { id: 'w1', parentId: 't1', startMs: 60, endMs: 130 },
    { id: 'called', parentId: 'w1', category: 'tool', startMs: 170 },
    { id: 'later', startMs: 250 },
  ],
} as unknown as Trace;

test('recordings are those of this service, each once, and spans are found in them', () => {
  const recordings = recordingsOf(trace);
  expect(recordings.map(({ path }) => path)).toEqual(['/api/v1/artifacts/t1', '/api/v1/artifacts/t2']);
  const spans = spansOf(trace);
  expect(spans.map((span) => placeOfSpan(span, spans, recordings))).toEqual([
    undefined,
    { blobId: 'b1', ms: 0 },
    { blobId: 'b1', ms: 30 },
    { blobId: 'b1', ms: 70 },
    { blobId: 'b2', ms: 50 },
  ]);
  const frames = recordings[0]?.frames ?? [];
  expect([0, 39, 40, 900].map((ms) => frameAt(frames, ms)?.atMs)).toEqual([5, 5, 40, 40]);
});

test('steps that were recorded are told in words, and the one under way is known', () => {
  const step = (stepIndex: number, evidence: Record<string, unknown>) =>
    ({ stepId: `s${stepIndex}`, stepIndex, kind: 'interact', status: 'ok', evidence }) as const;
  const steps = recordedSteps([
    step(0, { toolCalls: ['c1'] }),
    step(1, { videoBlobId: 'b1', videoOffsetMs: 10, action: 'click', locatorLabel: 'button "Add"' }),
    step(2, { videoBlobId: 'b1', videoOffsetMs: 10 }),
    step(3, { videoBlobId: 'b1', videoOffsetMs: 90, action: 'dance' }),
  ]);
  expect(steps.map(({ words }) => words)).toEqual(['Click button "Add"', 'Action', 'dance']);
  expect([0, 50, 90].map((now) => stepAt(steps, now, undefined)?.id)).toEqual([undefined, 's2', 's3']);
  expect(stepAt(steps, 10, steps[0])?.id).toBe('s1');
});
