import { ask, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import common from '../../kit/common.module.css';
import { Note } from '../../kit/notice.tsx';
import { cost, percent } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import css from './overview.module.css';

export function Spend({ organizationId }: { organizationId: string }) {
  const budget = useQuery(ask('getSpendBudget', { organizationId }));
  return (
    <Section
      title="Spend this month"
      actions={<ApiExample operation="getSpendBudget" input={{ organizationId }} />}
    >
      <QueryState of={budget} lines={1} />
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
    return (
      <Note>{cost(spentUsd)} by the organization on this installation's keys. No spend cap is set.</Note>
    );
  const share = capUsd === 0 ? 1 : spentUsd / capUsd;
  const alerted = Math.max(0, ...alertedPercents);
  return (
    <div className={css.spend}>
      <meter min={0} max={1} value={Math.min(1, share)} aria-label="Share of the spend cap used" />
      <span>
        {cost(spentUsd)} of {cost(capUsd)}, {percent(Math.round(share * 1000) / 1000)}
      </span>
      {capReachedAt !== null && <StateMark state="failed">reached: new runs are refused</StateMark>}
      {capReachedAt === null && alerted > 0 && (
        <StateMark state="attention">more than {alerted}% used</StateMark>
      )}
      <span className={common.soft}>
        resets <Time at={windowEndsAt} />
      </span>
    </div>
  );
}
