import { useState } from 'react';
import { api, ask, type Output, useAction, useQuery } from '../../api/index.ts';
import { isNotFound } from '../../api/problem.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { UptimeStrip } from '../../charts/uptime.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Select } from '../../kit/field.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { type State, StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { duration, Time } from '../../kit/time.tsx';
import type { ServerRef } from './address.ts';

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

/** Health of a server over time, from its scheduled checks. */
export function RegularChecks({ which }: { which: ServerRef }) {
  const [hours, setHours] = useState(24);
  const health = useQuery({ ...ask('getServerChecks', { ...which, hours }), refetchInterval: 15_000 });
  const never = isNotFound(health.error);
  const { data } = health;
  return (
    <Section
      title="Uptime"
      actions={
        <>
          {data && (
            <Select
              aria-label="Time range"
              value={String(hours)}
              onChange={({ target }) => setHours(Number(target.value))}
              options={spans}
            />
          )}
          <ApiExample operation="getServerChecks" input={{ ...which, hours }} />
          <Switch which={which} health={never ? undefined : data} />
        </>
      }
    >
      <QueryState
        of={health}
        lines={2}
        missing={
          <Note>
            No scheduled checks. Turn them on to be notified by webhook when the server stops working.
          </Note>
        }
      />
      {data && !never && <History health={data} hours={hours} which={which} />}
    </Section>
  );
}

function History({ health, hours, which }: { health: Health; hours: number; which: ServerRef }) {
  const results = useQuery({
    ...ask('listServerCheckResults', { ...which, limit: 10 }),
    refetchInterval: 15_000,
  });
  const { day, week, month } = health.uptime;
  const uptimes: Record<number, string> = {
    24: uptimeText(day, 'day'),
    168: uptimeText(week, 'week'),
    720: uptimeText(month, 'month'),
  };
  return (
    <>
      <p className={common.facts}>
        <StateMark state={marks[health.health]}>
          {health.health === 'unknown' ? 'not checked yet' : health.health}
          {health.healthSince !== null && (
            <>
              {' '}
              since <Time at={health.healthSince} />
            </>
          )}
        </StateMark>
        <span>{Object.values(uptimes).join(', ')}</span>
        {health.averageMs !== null && <span>average duration {duration(health.averageMs)}</span>}
      </p>
      {health.pausedReason !== null && <Note>Checks are paused: {health.pausedReason}</Note>}
      <UptimeStrip label={uptimes[hours] ?? ''} slots={health.strip} />
      {results.data && results.data.items.length > 0 && (
        <details>
          <summary>Latest checks</summary>
          <Table label="Latest checks" columns={columns} rows={results.data.items} />
        </details>
      )}
    </>
  );
}

const columns: Column<Result>[] = [
  { name: 'Time', main: true, cell: ({ checkedAt }) => <Time at={checkedAt} /> },
  {
    name: 'Result',
    cell: ({ ok, status }) => (
      <StateMark state={ok ? 'passed' : 'failed'}>{status.replace('_', ' ')}</StateMark>
    ),
  },
  { name: 'Reason', cell: ({ detail }) => detail },
  { name: 'Duration', figure: true, cell: ({ durationMs }) => duration(durationMs) },
];

/** Turns scheduled checks on or off and sets their interval. */
function Switch({ which, health }: { which: ServerRef; health: Health | undefined }) {
  const every = health?.enabled ? health.everyMinutes : 0;
  const setting = useAction((everyMinutes: number) =>
    everyMinutes > 0
      ? api.setServerChecks({ ...which, body: { everyMinutes } })
      : api.setServerChecks({
          ...which,
          body: { everyMinutes: health?.everyMinutes ?? 5, enabled: false },
        }),
  );
  if (!health)
    return (
      <Button onClick={() => setting.mutate(5)} busy={setting.isPending}>
        Check every 5 minutes
      </Button>
    );
  const offered = [...new Set([...intervals, ...(every > 0 ? [every] : [])])].toSorted((a, b) => a - b);
  return (
    <Select
      aria-label="Check interval"
      value={String(every)}
      disabled={setting.isPending}
      onChange={({ target }) => setting.mutate(Number(target.value))}
      options={[
        ['0', 'No scheduled checks'],
        ...offered.map((minutes) => [String(minutes), intervalText(minutes)] as const),
      ]}
    />
  );
}

function intervalText(minutes: number): string {
  if (minutes === 1) return 'Every minute';
  if (minutes === 60) return 'Every hour';
  return minutes === 1440 ? 'Every day' : `Every ${minutes} minutes`;
}

/** Rounded down, so that one failed check never shows as 100%. */
function uptimeText(share: number | null, period: string): string {
  if (share === null) return `no checks in the last ${period}`;
  return `${(Math.floor(share * 1000) / 10).toFixed(share === 1 ? 0 : 1)}% of the last ${period}`;
}
