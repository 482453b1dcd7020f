import { ask, type Output, useQuery } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { Rate } from '../../../charts/rate.tsx';
import common from '../../../kit/common.module.css';
import { count, counted } from '../../../kit/numbers.ts';
import { Section } from '../../../kit/page.tsx';
import { QueryState } from '../../../kit/query-state.tsx';
import { type Column, Table } from '../../../kit/table.tsx';

type Card = Output<'getJourneyRunScorecard'>;
type Criterion = Card['criteria'][number];

/** How many sessions met each criterion, with confidence intervals. */
export function Scorecard({ projectId, journeyRunId }: { projectId: string; journeyRunId: string }) {
  const which = { projectId, journeyRunId };
  const card = useQuery(ask('getJourneyRunScorecard', which));
  return (
    <Section title="Scorecard" actions={<ApiExample operation="getJourneyRunScorecard" input={which} />}>
      <QueryState of={card} lines={3} />
      {card.data && (
        <>
          <Table label="Scorecard" columns={columnsOf(card.data)} rows={card.data.criteria} />
          <p className={common.soft}>
            Of {counted(card.data.sessionsGraded, 'graded session')}, of {count(card.data.sessionsTotal)} in
            total, with 95% confidence intervals.
          </p>
        </>
      )}
    </Section>
  );
}

function columnsOf({ sessionsGraded }: Card): Column<Criterion>[] {
  return [
    { name: 'Criterion', main: true, cell: ({ id, label }) => label ?? id },
    { name: 'Check', cell: ({ kind }) => <code>{kind}</code> },
    {
      name: 'Met',
      cell: ({ passCount, interval }) => (
        <Rate
          passed={passCount}
          trials={sessionsGraded}
          {...(interval && { interval: { lower: interval.low, upper: interval.high } })}
        />
      ),
    },
    { name: 'Not met', figure: true, cell: ({ failCount }) => count(failCount) },
    {
      name: 'Pending',
      figure: true,
      cell: ({ pendingCount }) => (pendingCount > 0 ? count(pendingCount) : ''),
    },
    {
      name: 'Grading failed',
      figure: true,
      cell: ({ failedGradingCount }) => (failedGradingCount > 0 ? count(failedGradingCount) : ''),
    },
  ];
}
