import { useMemo, useState } from 'react';
import { ask, useQuery } from '../../api/index.ts';
import common from '../../kit/common.module.css';
import { Section } from '../../kit/page.tsx';
import { Glyph, type State } from '../../kit/state.tsx';
import { TabButtons } from '../../kit/tabs.tsx';
import { duration } from '../../kit/time.tsx';
import { Player } from './players.tsx';
import css from './recording.module.css';
import {
  placeOfSpan,
  type RecordedStep,
  recordedSteps,
  recordingsOf,
  stepAt,
  type WidgetRecording,
} from './recordings.ts';
import type { Span, Trace } from './trace.ts';

export function Recording({
  which,
  recordings,
  spans,
  span,
  step: stepId,
  onStep,
  reread,
}: {
  which: { projectId: string; runId: string; iterationId: string };
  recordings: WidgetRecording[];
  spans: Span[];
  span: Span | undefined;
  step: string | undefined;
  onStep: (id: string) => void;
  /** Refetches the trace to renew its URLs. */
  reread: () => Promise<Trace | undefined>;
}) {
  // Steps of a completed trial do not change.
  const { data } = useQuery({ ...ask('getEvalRunSteps', which), staleTime: Infinity });
  const steps = useMemo(() => recordedSteps(data?.items ?? []), [data]);
  const chosen = steps.find(({ id }) => id === stepId);
  const place = chosen ?? (span && placeOfSpan(span, spans, recordings));
  const [picked, pick] = useState<{ blobId: string; over: string | undefined }>();
  // A picked recording stays selected until another span or step is chosen.
  const key = stepId ?? span?.id;
  const wanted = picked && picked.over === key ? picked.blobId : place?.blobId;
  const recording = recordings.find(({ blobId }) => blobId === wanted) ?? recordings[0];
  if (!recording) return null;
  const taken = steps.filter(({ blobId }) => blobId === recording.blobId);
  // Widgets start empty, so the first step is shown by default.
  const [first] = taken;
  return (
    <Section
      title="Recording"
      actions={
        recordings.length > 1 && (
          <TabButtons
            label="Recorded widgets"
            names={recordings.map(({ blobId, toolName }, at) => [blobId, `${at + 1}. ${toolName}`] as const)}
            chosen={recording.blobId}
            choose={(blobId) => pick({ blobId, over: key })}
          />
        )
      }
    >
      <FilmAndSteps
        key={recording.blobId}
        recording={recording}
        steps={taken}
        chosen={chosen}
        ms={place?.blobId === recording.blobId ? place.ms : first?.ms}
        about={key}
        onStep={onStep}
        renew={async () => {
          const fresh = await reread();
          return fresh && recordingsOf(fresh).find(({ blobId }) => blobId === recording.blobId)?.path;
        }}
      />
    </Section>
  );
}

const states: Record<RecordedStep['status'], [State, string]> = {
  ok: ['passed', 'done'],
  fail: ['failed', 'failed'],
  skipped: ['skipped', 'skipped'],
  pending: ['pending', 'waiting'],
};

function FilmAndSteps({
  recording,
  steps,
  chosen,
  ms,
  about,
  onStep,
  renew,
}: {
  recording: WidgetRecording;
  steps: RecordedStep[];
  chosen: RecordedStep | undefined;
  /** Position of the selection in the recording, and its name. */
  ms: number | undefined;
  about: string | undefined;
  onStep: (id: string) => void;
  renew: () => Promise<string | undefined>;
}) {
  const [now, setNow] = useState(0);
  const [playing, setPlaying] = useState(false);
  // A widget that did not change during a step added no frames.
  const length = Math.max(1, recording.frames.at(-1)?.atMs ?? 0, ...steps.map((step) => step.ms));
  // Incremented by each click on a step, so that a repeated click seeks again.
  const [again, setAgain] = useState(0);
  const [to, setTo] = useState<{ ms: number; wish: string }>();
  const wish = `${ms} ${again} ${about}`;
  if (ms !== undefined && to?.wish !== wish) {
    const place = recording.kind === 'frames' ? Math.min(ms, length) : ms;
    setTo({ ms: place, wish });
    setNow(place);
    setPlaying(false);
  }
  const current = stepAt(steps, now, chosen);
  return (
    <div className={css.recording}>
      <Player
        recording={recording}
        length={length}
        now={now}
        onTime={setNow}
        playing={playing}
        onPlay={setPlaying}
        to={to}
        renew={renew}
      />
      {steps.length > 0 && (
        <ol className={css.steps} aria-label="Widget steps">
          {steps.map((step) => (
            <li key={step.id}>
              <button
                type="button"
                className={css.step}
                aria-current={step === current ? 'step' : undefined}
                onClick={() => {
                  setAgain(again + 1);
                  onStep(step.id);
                }}
              >
                <Glyph state={states[step.status][0]} label={states[step.status][1]} />
                <span className={css.words}>
                  <bdi>
                    {step.number}. {step.words}
                  </bdi>
                  {step.status === 'fail' && step.reason && (
                    <bdi className={common.softSmall}>{step.reason}</bdi>
                  )}
                </span>
                <span className={css.at}>{duration(step.ms)}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
