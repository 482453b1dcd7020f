import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/ask.ts';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { cost, percent } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import css from './overview.module.css';

/** What models cost this month, for the whole organization, against its cap. */
export function Spend({ organizationId }: { organizationId: string }) {
  const budget = useQuery(ask('getSpendBudget', { organizationId }));
  return (
    <Section
      title="Spend this month"
      actions={<Same operation="getSpendBudget" input={{ organizationId }} />}
    >
      {budget.isPending && <Skeleton lines={1} />}
      {budget.isError && <Problem error={budget.error} retry={() => void budget.refetch()} />}
      {budget.data && <Bar {...budget.data} />}
    </Section>
  );
}

function Bar({
  spentUsd,
  capUsd,
  capReachedAt,
  windowEndsAt,
  alertedPercents,
}: {
  spentUsd: number;
  capUsd: number | null;
  capReachedAt: number | null;
  windowEndsAt: number;
  alertedPercents: number[];
}) {
  if (capUsd === null)
    return <Note>{cost(spentUsd)} by the organization on keys of this deployment; there is no cap.</Note>;
  const share = capUsd === 0 ? 1 : spentUsd / capUsd;
  const alerted = Math.max(0, ...alertedPercents);
  return (
    <div className={css.spend}>
      <meter min={0} max={1} value={Math.min(1, share)} aria-label="Share of the cap that is spent" />
      <span>
        {cost(spentUsd)} of {cost(capUsd)}, {percent(Math.round(share * 1000) / 1000)}
      </span>
      {capReachedAt !== null && <StateMark state="failed">reached: new runs are refused</StateMark>}
      {capReachedAt === null && alerted > 0 && (
        <StateMark state="attention">more than {alerted} % is spent</StateMark>
      )}
      <span className={css.quiet}>
        starts anew <Time at={windowEndsAt} />
      </span>
    </div>
  );
}
