import { answers, useConnection } from '../api/connection.ts';
import { Button } from '../kit/button.tsx';
import { Glyph } from '../kit/state.tsx';
import { Time } from '../kit/time.tsx';
import css from './shell.module.css';

/** Says since when the page is old. When the service answers again, everything shown is read again. */
export function ConnectionBanner() {
  const { lost, since } = useConnection();
  if (!lost) return null;
  return (
    <div role="status" className={css.lost}>
      <Glyph state="attention" />
      <span>
        No connection to the service since <Time at={since} />. This page may be out of date.
      </span>
      <Button look="quiet" onClick={() => void answers()}>
        Try now
      </Button>
    </div>
  );
}
