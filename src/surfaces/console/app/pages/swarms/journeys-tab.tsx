import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Output } from '../../../../client/index.ts';
import { ask, askPages } from '../../api/ask.ts';
import { Button } from '../../kit/button.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { count, percent } from '../../kit/numbers.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';
import { gradedBy } from './journey/journey-words.ts';
import { lookedUp } from './names.ts';

type Journey = Output<'listJourneys'>['items'][number];

export function JourneysTab({ projectId }: { projectId: string }) {
  const journeys = useInfiniteQuery(askPages('listJourneys', { projectId }));
  const personas = useQuery(ask('listPersonas', { projectId, limit: lookedUp }));
  const swarms = useQuery(ask('listSwarms', { projectId, limit: lookedUp }));
  const items = journeys.data?.pages.flatMap((page) => page.items) ?? [];
  const names = new Map(
    [...(personas.data?.items ?? []), ...(swarms.data?.items ?? [])].map(({ id, name }) => [id, name]),
  );
  if (journeys.isError) return <Problem error={journeys.error} retry={() => void journeys.refetch()} />;
  if (journeys.isPending) return <Skeleton lines={6} />;
  return (
    <>
      {items.length === 0 ? (
        <Empty title="No journey yet">
          A journey is what a persona wants to get done, where it is tried, and how each session is graded.
        </Empty>
      ) : (
        <Table label="Journeys" columns={columnsOf(projectId, names)} rows={items} keyOf={({ id }) => id} />
      )}
      {journeys.hasNextPage && (
        <div>
          <Button busy={journeys.isFetchingNextPage} onClick={() => void journeys.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

function columnsOf(projectId: string, names: Map<string, string>): Column<Journey>[] {
  return [
    {
      name: 'Journey',
      main: true,
      cell: ({ id, name }) => (
        <Link to="/projects/$projectId/swarms/journeys/$journeyId" params={{ projectId, journeyId: id }}>
          {name}
        </Link>
      ),
    },
    { name: 'Persona', cell: ({ personaId }) => names.get(personaId) ?? '' },
    { name: 'Goal', cell: ({ goal }) => cut(goal, 160) },
    { name: 'Swarm', cell: ({ swarmId }) => (swarmId === null ? '' : (names.get(swarmId) ?? '')) },
    {
      name: 'Targets',
      figure: true,
      cell: ({ environmentIds, hostIds }) => count(environmentIds.length || hostIds.length),
    },
    {
      name: 'Sessions with each',
      figure: true,
      cell: ({ sessionsPerTarget }) => sessionsPerTarget ?? '',
    },
    { name: 'Graded by', cell: gradedBy },
    { name: 'Has to pass', figure: true, cell: ({ passThreshold }) => percent(passThreshold) },
    { name: 'Changed', figure: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}
