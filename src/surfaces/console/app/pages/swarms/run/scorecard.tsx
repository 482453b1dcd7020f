import { useQuery } from '@tanstack/react-query';
import type { Output } from '../../../../../client/index.ts';
import { ask } from '../../../api/ask.ts';
import { Rate } from '../../../charts/rate.tsx';
import { Problem, Skeleton } from '../../../kit/notice.tsx';
import { count, counted } from '../../../kit/numbers.ts';
import { Section } from '../../../kit/page.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { Same } from '../../../same/same.tsx';
import css from '../swarms.module.css';

type Card = Output<'getJourneyRunScorecard'>;
type Criterion = Card['criteria'][number];

/** How many sessions met each criterion, and between what the true rate lies. */
export function Scorecard({ projectId, journeyRunId }: { projectId: string; journeyRunId: string }) {
  const which = { projectId, journeyRunId };
  const card = useQuery(ask('getJourneyRunScorecard', which));
  return (
    <Section title="Scorecard" actions={<Same operation="getJourneyRunScorecard" input={which} />}>
      {card.isError && <Problem error={card.error} retry={() => void card.refetch()} />}
      {card.isPending && <Skeleton lines={3} />}
      {card.data && (
        <>
          <Table
            label="Scorecard"
            columns={columnsOf(card.data)}
            rows={card.data.criteria}
            keyOf={({ id }) => id}
          />
          <p className={css.soft}>
            Of {counted(card.data.sessionsGraded, 'graded session')}, of {count(card.data.sessionsTotal)} in
            all. The band is where the true rate lies, 19 times out of 20.
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
      name: 'Waiting',
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
