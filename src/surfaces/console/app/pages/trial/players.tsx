import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Note } from '../../kit/notice.tsx';
import { duration } from '../../kit/time.tsx';
import { type Film, frameAt } from './films.ts';
import css from './recording.module.css';

interface PlayerProps {
  film: Film;
  /** Its length in milliseconds, as far as it is known. */
  length: number;
  now: number;
  onTime: (ms: number) => void;
  /** Where to stand; each new one is gone to. */
  to: { ms: number } | undefined;
}

/** A recording. Its address works for some minutes: one that fails is asked for again, once. */
export function Player({ renew, ...props }: PlayerProps & { renew: () => Promise<string | undefined> }) {
  // What is being played keeps its address when the trace is read again.
  const [source, setSource] = useState({ path: props.film.path });
  const [state, setState] = useState<'fresh' | 'renewed' | 'lost'>('fresh');
  const renewed = async (): Promise<void> => {
    const next = await renew().catch(() => undefined);
    if (next !== undefined) setSource({ path: next });
    setState(next === undefined ? 'lost' : 'renewed');
  };
  const fail = (): void => {
    if (state === 'fresh') void renewed();
    else setState('lost');
  };
  if (state === 'lost')
    return (
      <Note>
        The recording could not be loaded. It may be gone.{' '}
        <Button onClick={() => void renewed()}>Try again</Button>
      </Note>
    );
  const Kind = props.film.kind === 'webm' ? VideoPlayer : FramesPlayer;
  return <Kind {...props} source={source} onWorks={() => setState('fresh')} onFail={fail} />;
}

interface KindProps extends PlayerProps {
  /** A new one is loaded anew, also at the same address. */
  source: { path: string };
  onWorks: () => void;
  onFail: () => void;
}

function VideoPlayer({ film, source, now, onTime, to, onWorks, onFail }: KindProps) {
  const video = useRef<HTMLVideoElement>(null);
  const stand = useEffectEvent((ms: number): void => {
    video.current?.pause();
    // Before its length is known it cannot be moved; then it goes to where the page is.
    onTime(ms);
    if (video.current && video.current.readyState > 0) video.current.currentTime = ms / 1_000;
  });
  useEffect(() => {
    if (to) stand(to.ms);
  }, [to]);
  useEffect(() => video.current?.load(), [source]);
  return (
    <video
      ref={video}
      className={css.picture}
      src={source.path}
      aria-label={`Recording of the widget of ${film.toolName}`}
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

/** Pictures one after the other, each for as long as it was to be seen. */
function FramesPlayer({ film, source, length, now, onTime, to, onWorks, onFail }: KindProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [bytes, setBytes] = useState<Blob>();
  const [playing, setPlaying] = useState(false);
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

  const stand = useEffectEvent((ms: number): void => {
    setPlaying(false);
    onTime(Math.min(ms, length));
  });
  useEffect(() => {
    if (to) stand(to.ms);
  }, [to]);

  const goOn = useEffectEvent((passed: number): void => {
    const next = Math.min(length, now + passed);
    onTime(next);
    if (next >= length) setPlaying(false);
  });
  useEffect(() => {
    if (!playing) return;
    let before = performance.now();
    const tick = (time: number): void => {
      goOn(Math.max(0, time - before));
      before = time;
      next = requestAnimationFrame(tick);
    };
    let next = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(next);
  }, [playing]);

  const frame = frameAt(film.frames, now);
  useEffect(() => {
    if (!bytes || !frame) return;
    let over = false;
    const { offset, length: size } = frame;
    createImageBitmap(bytes.slice(offset, offset + size, 'image/jpeg')).then(
      (picture) => {
        if (!over && canvas.current) draw(canvas.current, picture);
        picture.close();
      },
      // One that cannot be read leaves the one before it.
      () => {},
    );
    return () => {
      over = true;
    };
  }, [bytes, frame]);

  const turn = (): void => {
    if (!playing && now >= length) onTime(0);
    setPlaying(!playing);
  };
  const place = `${duration(now)} of ${duration(length)}`;
  return (
    <div className={css.frames}>
      <canvas
        ref={canvas}
        className={css.picture}
        width={1024}
        height={768}
        role="img"
        aria-label={`Recording of the widget of ${film.toolName}`}
        aria-busy={!bytes}
      />
      <div className={css.controls}>
        <Button onClick={turn} disabled={!bytes}>
          {playing ? 'Pause' : 'Play'}
        </Button>
        <input
          type="range"
          className={css.scrubber}
          aria-label="Place in the recording"
          aria-valuetext={place}
          min={0}
          max={length}
          step="any"
          value={now}
          onChange={({ currentTarget }) => {
            setPlaying(false);
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
  // Setting a size empties it, so only when it differs.
  if (canvas.width !== picture.width) canvas.width = picture.width;
  if (canvas.height !== picture.height) canvas.height = picture.height;
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
}
