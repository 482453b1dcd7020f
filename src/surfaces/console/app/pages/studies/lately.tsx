import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/ask.ts';
import { Time } from '../../kit/time.tsx';
import css from './studies.module.css';

/** Sessions that are read to say how many there were lately. */
const looked = 20;
const week = 7 * 86_400_000;

/** How many sessions of a study were active within seven days, and when the last was. */
export function Lately({ which }: { which: { projectId: string; studyId: string } }) {
  const [now] = useState(Date.now);
  const sessions = useQuery(ask('listStudySessions', { ...which, limit: looked }));
  const [last] = sessions.data?.items ?? [];
  if (!last) return <span className={css.soft}>{sessions.isSuccess ? 'none yet' : ''}</span>;
  const recent = sessions.data?.items.filter(({ lastActivityAt }) => lastActivityAt > now - week).length ?? 0;
  return (
    <span>
      {recent === looked ? `${looked} or more` : recent} in 7 days,{' '}
      <span className={css.soft}>
        last <Time at={last.lastActivityAt} />
      </span>
    </span>
  );
}
