import type { Output } from '../../api/index.ts';
import common from '../../kit/common.module.css';
import { Time } from '../../kit/time.tsx';

type Study = Output<'listStudies'>['items'][number];

/** Highest count the service returns. */
const maxCounted = 1000;

/** Sessions active within seven days, and the time of the last one. */
export function RecentActivity({ study: { sessionsLately: recent, lastSessionAt: last } }: { study: Study }) {
  if (last === null) return <span className={common.soft}>none yet</span>;
  return (
    <span>
      {recent === maxCounted ? `${maxCounted} or more` : recent} in 7 days,{' '}
      <span className={common.soft}>
        last <Time at={last} />
      </span>
    </span>
  );
}
