import { useQuery } from '@tanstack/react-query';
import type { Output } from '../../../../client/index.ts';
import { ask } from '../../api/ask.ts';
import { Meter } from '../../charts/meter.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Facts, Section } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Same } from '../../same/same.tsx';
import css from './studies.module.css';
import { isMissing, type Study } from './study.ts';

type Used = Output<'getStudyUsage'>;

/** Who uses it, with what, and what it costs. */
export function Usage({ study }: { study: Study }) {
  const input = { projectId: study.projectId, studyId: study.id };
  const usage = useQuery(ask('getStudyUsage', input));
  return (
    <Section title="Usage" actions={<Same operation="getStudyUsage" input={input} />}>
      {usage.isPending && <Skeleton lines={3} />}
      {isMissing(usage.error) ? (
        <Note>Nothing was used yet.</Note>
      ) : (
        usage.isError && <Problem error={usage.error} retry={() => void usage.refetch()} />
      )}
      {usage.data && <Shown usage={usage.data} cap={study.guestExecution?.dailyCreditCap ?? null} />}
    </Section>
  );
}

function Shown({ usage, cap }: { usage: Used; cap: number | null }) {
  const { tools, scan } = usage;
  const shares = (items: Used['models']): string =>
    items.map(({ name, count: many }) => `${name} (${count(many)})`).join(', ');
  return (
    <>
      <Facts
        facts={[
          ['Tokens in', count(usage.inputTokens)],
          ['Tokens out', count(usage.outputTokens)],
          ['Credits', credits(usage.credits)],
          ['Visitors', shares(usage.segments)],
          ['Models', shares(usage.models)],
          ['Devices', shares(usage.devices)],
          ['Languages', shares(usage.languages)],
        ]}
      />
      <div className={css.meter}>
        <Meter name="Credits of guests today" used={usage.guestCreditsToday} limit={cap} figure={credits} />
      </div>
      {tools.length > 0 && (
        <Table label="Tools that were called" columns={columns} rows={tools} keyOf={({ name }) => name} />
      )}
      {scan.truncated && <Note>The latest {counted(scan.sessions, 'session')} were counted.</Note>}
    </>
  );
}

/** Hundredths are what a message costs. */
function credits(value: number): string {
  return count(Math.round(value * 100) / 100);
}

const columns: Column<Used['tools'][number]>[] = [
  { name: 'Tool', main: true, cell: ({ name }) => <code>{name}</code> },
  { name: 'Calls', figure: true, cell: ({ calls }) => count(calls) },
  { name: 'Failed', figure: true, cell: ({ failed }) => count(failed) },
];
