import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { heard, useConnection } from '../api/connection.ts';
import { Button } from '../kit/button.tsx';
import { Glyph } from '../kit/state.tsx';
import { Time } from '../kit/time.tsx';
import css from './shell.module.css';

const pause = 5_000;

/** Says since when the page is old. The service is asked until it answers; then everything shown is read again. */
export function ConnectionBanner() {
  const { lost, since } = useConnection();
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!lost) return;
    const ask = async (): Promise<void> => {
      const { ok } = await fetch('/healthz', { cache: 'no-store' });
      if (!ok) return;
      heard();
      await queryClient.invalidateQueries();
    };
    const timer = setInterval(() => void ask().catch(() => {}), pause);
    return () => clearInterval(timer);
  }, [lost, queryClient]);
  if (!lost) return null;
  return (
    <div role="status" className={css.lost}>
      <Glyph state="attention" />
      <span>
        No connection to the service since <Time at={since} />. What you see may be older than that.
      </span>
      <Button look="quiet" onClick={() => void queryClient.invalidateQueries()}>
        Try now
      </Button>
    </div>
  );
}
