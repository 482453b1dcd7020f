import type { Output } from '../../api/index.ts';
import common from '../../kit/common.module.css';
import { Time } from '../../kit/time.tsx';

type Study = Output<'listStudies'>['items'][number];

/** The service counts no further. */
const most = 1000;

/** How many sessions of a study were active within seven days, and when the last was. */
export function Lately({ study: { sessionsLately: recent, lastSessionAt: last } }: { study: Study }) {
  if (last === null) return <span className={common.soft}>none yet</span>;
  return (
    <span>
      {recent === most ? `${most} or more` : recent} in 7 days,{' '}
      <span className={common.soft}>
        last <Time at={last} />
      </span>
    </span>
  );
}
