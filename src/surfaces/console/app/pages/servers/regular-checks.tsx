import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DrydockError, type Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { UptimeStrip } from '../../charts/uptime.tsx';
import { Button } from '../../kit/button.tsx';
import { Select } from '../../kit/field.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type State, StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { duration, Time } from '../../kit/time.tsx';
import { complain } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import css from './servers.module.css';
import type { Which } from './which.ts';

type Health = Output<'getServerChecks'>;
type Result = Output<'listServerCheckResults'>['items'][number];

const marks: Record<Health['health'], State> = {
  healthy: 'passed',
  unhealthy: 'failed',
  unknown: 'notMeasured',
};
const spans = [
  ['24', 'The last day'],
  ['168', 'The last week'],
  ['720', 'The last month'],
] as const;
const intervals = [1, 5, 15, 60, 1440];

/** How a server was over time, as far as somebody has it looked at. */
export function RegularChecks({ which }: { which: Which }) {
  const [hours, setHours] = useState(24);
  const health = useQuery({ ...ask('getServerChecks', { ...which, hours }), refetchInterval: 15_000 });
  const never = health.error instanceof DrydockError && health.error.code === 'NOT_FOUND';
  const { data } = health;
  return (
    <Section
      title="Over time"
      actions={
        <>
          {data && (
            <Select
              aria-label="How far back"
              value={String(hours)}
              onChange={({ target }) => setHours(Number(target.value))}
              options={spans}
            />
          )}
          <Same operation="getServerChecks" input={{ ...which, hours }} />
          <Switch which={which} health={never ? undefined : data} />
        </>
      }
    >
      {health.isPending && <Skeleton lines={2} />}
      {health.isError && !never && <Problem error={health.error} retry={() => void health.refetch()} />}
      {never && (
        <Note>Nobody looks at this server regularly. Webhooks can be told when it stops working.</Note>
      )}
      {data && !never && <History health={data} which={which} />}
    </Section>
  );
}

function History({ health, which }: { health: Health; which: Which }) {
  const results = useQuery({
    ...ask('listServerCheckResults', { ...which, limit: 10 }),
    refetchInterval: 15_000,
  });
  const { day, week, month } = health.uptime;
  return (
    <>
      <p className={css.glance}>
        <StateMark state={marks[health.health]}>
          {health.health === 'unknown' ? 'not known yet' : health.health}
          {health.healthSince !== null && (
            <>
              {' '}
              since <Time at={health.healthSince} />
            </>
          )}
        </StateMark>
        <span>
          {percent(day)} of the last day, {percent(week)} of the week, {percent(month)} of the month
        </span>
        {health.averageMs !== null && <span>a check takes {duration(health.averageMs)}</span>}
      </p>
      {health.pausedReason !== null && <Note>Checks are not made: {health.pausedReason}</Note>}
      <UptimeStrip label={`Good checks of the last day: ${percent(day)}`} slots={health.strip} />
      {results.data && results.data.items.length > 0 && (
        <details>
          <summary>The latest checks</summary>
          <Table
            label="The latest checks"
            columns={columns}
            rows={results.data.items}
            keyOf={({ id }) => id}
          />
        </details>
      )}
    </>
  );
}

const columns: Column<Result>[] = [
  { name: 'When', main: true, cell: ({ checkedAt }) => <Time at={checkedAt} /> },
  {
    name: 'Found',
    cell: ({ ok, status }) => (
      <StateMark state={ok ? 'passed' : 'failed'}>{status.replace('_', ' ')}</StateMark>
    ),
  },
  { name: 'Because', cell: ({ detail }) => detail },
  { name: 'Took', figure: true, cell: ({ durationMs }) => duration(durationMs) },
];

/** Whether it is looked at, and how often. */
function Switch({ which, health }: { which: Which; health: Health | undefined }) {
  const queryClient = useQueryClient();
  const every = health?.enabled ? health.everyMinutes : 0;
  const setting = useMutation({
    mutationFn: (everyMinutes: number) =>
      everyMinutes > 0
        ? api.setServerChecks({ ...which, body: { everyMinutes } })
        : api.setServerChecks({
            ...which,
            body: { everyMinutes: health?.everyMinutes ?? 5, enabled: false },
          }),
    onSuccess: () => queryClient.invalidateQueries(answersOf('getServerChecks')),
    onError: complain,
  });
  if (!health)
    return (
      <Button onClick={() => setting.mutate(5)} busy={setting.isPending}>
        Check every 5 minutes
      </Button>
    );
  const offered = [...new Set([...intervals, ...(every > 0 ? [every] : [])])].toSorted((a, b) => a - b);
  return (
    <Select
      aria-label="How often it is checked"
      value={String(every)}
      disabled={setting.isPending}
      onChange={({ target }) => setting.mutate(Number(target.value))}
      options={[
        ['0', 'Not checked'],
        ...offered.map((minutes) => [String(minutes), often(minutes)] as const),
      ]}
    />
  );
}

function often(minutes: number): string {
  if (minutes === 1) return 'Every minute';
  if (minutes === 60) return 'Every hour';
  return minutes === 1440 ? 'Every day' : `Every ${minutes} minutes`;
}

/** Rounded down: one failed check is never 100 %. */
function percent(share: number | null): string {
  return share === null ? 'nothing' : `${(Math.floor(share * 1000) / 10).toFixed(share === 1 ? 0 : 1)} %`;
}
