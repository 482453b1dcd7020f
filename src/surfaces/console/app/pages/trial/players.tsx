import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Note } from '../../kit/notice.tsx';
import { duration } from '../../kit/time.tsx';
import css from './recording.module.css';
import { frameAt, type WidgetRecording } from './recordings.ts';

interface PlayerProps {
  recording: WidgetRecording;
  length: number;
  now: number;
  onTime: (ms: number) => void;
  /** Whether frames are playing; a video has its own controls. */
  playing: boolean;
  onPlay: (playing: boolean) => void;
  /** Position to seek to; each new object seeks again. */
  to: { ms: number } | undefined;
}

/** A recording. Signed URLs expire: after a failure a new one is requested once. */
export function Player({ renew, ...props }: PlayerProps & { renew: () => Promise<string | undefined> }) {
  // A playing video keeps its URL when the trace refreshes.
  const [source, setSource] = useState({ path: props.recording.path, turn: 0 });
  const [state, setState] = useState<'fresh' | 'renewed' | 'lost'>('fresh');
  const renewed = async (): Promise<void> => {
    const next = await renew().catch(() => undefined);
    if (next !== undefined) setSource({ path: next, turn: source.turn + 1 });
    setState(next === undefined ? 'lost' : 'renewed');
  };
  const fail = (): void => {
    if (state === 'fresh') void renewed();
    else setState('lost');
  };
  if (state === 'lost')
    return (
      <Note>
        The recording could not be loaded. It may have been deleted.{' '}
        <Button onClick={() => void renewed()}>Try again</Button>
      </Note>
    );
  const Kind = props.recording.kind === 'webm' ? VideoPlayer : FramesPlayer;
  return <Kind {...props} source={source} onWorks={() => setState('fresh')} onFail={fail} />;
}

interface KindProps extends PlayerProps {
  /** Each new object reloads the player, even with the same path. */
  source: { path: string; turn: number };
  onWorks: () => void;
  onFail: () => void;
}

function VideoPlayer({ recording, source, now, onTime, to, onWorks, onFail }: KindProps) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const { current: shown } = video;
    if (!to || !shown) return;
    shown.pause();
    // Cannot seek before metadata is loaded; after that, it starts at the position of the page.
    if (shown.readyState > 0) shown.currentTime = to.ms / 1_000;
  }, [to]);
  return (
    <video
      key={source.turn}
      ref={video}
      className={css.picture}
      src={source.path}
      aria-label={`Recording of widget ${recording.toolName}`}
      controls
      muted
      playsInline
      preload="metadata"
      onLoadedMetadata={({ currentTarget }) => {
        onWorks();
        currentTarget.currentTime = now / 1_000;
      }}
      onTimeUpdate={({ currentTarget }) => {
        if (!currentTarget.seeking) onTime(currentTarget.currentTime * 1_000);
      }}
      onError={onFail}
    />
  );
}

/** Plays images in sequence, each for its recorded duration. */
function FramesPlayer({
  recording,
  source,
  length,
  now,
  onTime,
  playing,
  onPlay,
  onWorks,
  onFail,
}: KindProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [bytes, setBytes] = useState<Blob>();
  const came = useEffectEvent((loaded: Blob): void => {
    setBytes(loaded);
    onWorks();
  });
  const failed = useEffectEvent(onFail);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    load(source.path, signal).then(came, () => {
      if (!signal.aborted) failed();
    });
    return () => ending.abort();
  }, [source]);

  const standing = useEffectEvent((): number => now);
  const goTo = useEffectEvent((ms: number): void => {
    onTime(Math.max(0, Math.min(length, ms)));
    if (ms >= length) onPlay(false);
  });
  useEffect(() => {
    if (!playing) return;
    // Based on elapsed time, so that slow frames do not slow playback.
    const began = performance.now() - standing();
    const tick = (time: number): void => {
      goTo(time - began);
      next = requestAnimationFrame(tick);
    };
    let next = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(next);
  }, [playing]);

  const frame = frameAt(recording.frames, now);
  useEffect(() => {
    if (!bytes || !frame) return;
    let over = false;
    const { offset, length: size } = frame;
    const show = async (): Promise<void> => {
      const picture = await createImageBitmap(bytes.slice(offset, offset + size, 'image/jpeg'));
      if (!over && canvas.current) draw(canvas.current, picture);
      picture.close();
    };
    // If a frame cannot be decoded, the previous one stays.
    show().catch(() => {});
    return () => {
      over = true;
    };
  }, [bytes, frame]);

  const turn = (): void => {
    if (!playing && now >= length) onTime(0);
    onPlay(!playing);
  };
  const place = `${duration(now)} of ${duration(length)}`;
  return (
    <div className={common.narrowColumn}>
      <canvas
        ref={canvas}
        className={css.picture}
        width={1024}
        height={768}
        role="img"
        aria-label={`Recording of widget ${recording.toolName}`}
        aria-busy={!bytes}
      />
      <div className={css.controls}>
        <Button onClick={turn} disabled={!bytes}>
          {playing ? 'Pause' : 'Play'}
        </Button>
        <input
          type="range"
          className={css.scrubber}
          aria-label="Playback position"
          aria-valuetext={place}
          min={0}
          max={length}
          step="any"
          value={now}
          onChange={({ currentTarget }) => {
            onPlay(false);
            onTime(Number(currentTarget.value));
          }}
        />
        <span className={css.place}>{place}</span>
      </div>
    </div>
  );
}

async function load(path: string, signal: AbortSignal): Promise<Blob> {
  const answer = await fetch(path, { signal });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.blob();
}

function draw(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  // Setting a size clears the canvas.
  if (canvas.width !== picture.width) canvas.width = picture.width;
  if (canvas.height !== picture.height) canvas.height = picture.height;
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
}
