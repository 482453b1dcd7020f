import { Link } from '@tanstack/react-router';
import { ask, askPages, maxPageSize, type Output, useInfiniteQuery, useQuery } from '../../api/index.ts';
import { count, percent } from '../../kit/numbers.ts';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';
import { gradedBy } from './journey/journey-labels.ts';

type Journey = Output<'listJourneys'>['items'][number];

export function JourneysTab({ projectId }: { projectId: string }) {
  const journeys = useInfiniteQuery(askPages('listJourneys', { projectId }));
  const personas = useQuery(ask('listPersonas', { projectId, limit: maxPageSize }));
  const swarms = useQuery(ask('listSwarms', { projectId, limit: maxPageSize }));
  const names = new Map(
    [...(personas.data?.items ?? []), ...(swarms.data?.items ?? [])].map(({ id, name }) => [id, name]),
  );
  return (
    <QueryTable
      of={journeys}
      lines={6}
      title="No active journeys"
      label="Journeys"
      columns={columnsOf(projectId, names)}
    >
      A journey defines a persona's goal, its targets, and how sessions are graded.
    </QueryTable>
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
      name: 'Sessions per target',
      figure: true,
      cell: ({ sessionsPerTarget }) => sessionsPerTarget ?? '',
    },
    { name: 'Graded by', cell: gradedBy },
    { name: 'Pass threshold', figure: true, cell: ({ passThreshold }) => percent(passThreshold) },
    { name: 'Changed', figure: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}
