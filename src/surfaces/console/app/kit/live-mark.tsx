import type { Live } from '../api/live.ts';
import css from './notice.module.css';
import { StateMark } from './state.tsx';
import { Time } from './time.tsx';

/** Whether the page receives live updates. */
export function LiveMark({ live }: { live: Live }) {
  if (live.state === 'lost')
    return (
      <StateMark state="attention">
        not live since <Time at={live.since} />; reconnecting
      </StateMark>
    );
  if (live.state === 'live') return <StateMark state="running">live</StateMark>;
  return <span className={css.note}>{live.state === 'over' ? 'ended' : 'connecting'}</span>;
}
