import { checkReady, useConnection } from '../api/connection.ts';
import { Button } from '../kit/button.tsx';
import { Glyph } from '../kit/state.tsx';
import { Time } from '../kit/time.tsx';
import css from './shell.module.css';

/** Shows since when the page is outdated. When the service responds again, all queries are refetched. */
export function ConnectionBanner() {
  const { lost, since } = useConnection();
  if (!lost) return null;
  return (
    <div role="status" className={css.lost}>
      <Glyph state="attention" />
      <span>
        No connection to the service since <Time at={since} />. This page may be out of date.
      </span>
      <Button variant="quiet" onClick={() => void checkReady()}>
        Try now
      </Button>
    </div>
  );
}
