import { ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Meter } from '../../charts/meter.tsx';
import { Note } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Facts, Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import css from './studies.module.css';
import type { Study } from './study.ts';

type Used = Output<'getStudyUsage'>;

export function Usage({ study }: { study: Study }) {
  const input = { projectId: study.projectId, studyId: study.id };
  const usage = useQuery(ask('getStudyUsage', input));
  return (
    <Section title="Usage" actions={<ApiExample operation="getStudyUsage" input={input} />}>
      <QueryState of={usage} missing={<Note>No usage yet.</Note>} />
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
        <Meter name="Guest credits today" used={usage.guestCreditsToday} limit={cap} figure={credits} />
      </div>
      {tools.length > 0 && (
        <Table label="Tool calls" columns={columns} rows={tools} keyOf={({ name }) => name} />
      )}
      {scan.truncated && <Note>Only the latest {counted(scan.sessions, 'session')} are counted.</Note>}
    </>
  );
}

/** Shown in hundredths, the scale of a single message. */
function credits(value: number): string {
  return count(Math.round(value * 100) / 100);
}

const columns: Column<Used['tools'][number]>[] = [
  { name: 'Tool', main: true, cell: ({ name }) => <code>{name}</code> },
  { name: 'Calls', figure: true, cell: ({ calls }) => count(calls) },
  { name: 'Failed', figure: true, cell: ({ failed }) => count(failed) },
];
