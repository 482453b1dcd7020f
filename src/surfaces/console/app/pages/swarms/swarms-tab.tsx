import { Link } from '@tanstack/react-router';
import { api, askPages, type Output, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { counted } from '../../kit/numbers.ts';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';

type Swarm = Output<'listSwarms'>['items'][number];

const route = '/projects/$projectId/swarms';

export function SwarmsTab({ projectId }: { projectId: string }) {
  const swarms = useInfiniteQuery(askPages('listSwarms', { projectId }));
  return (
    <QueryTable of={swarms} lines={6} title="No active swarms" label="Swarms" columns={columns}>
      A swarm groups related journeys that share environments, a number of sessions and a rubric.
    </QueryTable>
  );
}

const columns: Column<Swarm>[] = [
  {
    name: 'Swarm',
    main: true,
    cell: ({ id, name }) => (
      <Link from={route} to="." search={(before) => ({ ...before, edit: id })}>
        {name}
      </Link>
    ),
  },
  { name: 'Description', cell: ({ description }) => description },
  {
    name: 'Sessions per target',
    figure: true,
    cell: ({ sessionsPerTarget }) => sessionsPerTarget ?? '',
  },
  { name: 'Maximum persona messages', figure: true, cell: ({ maxTurns }) => maxTurns ?? '' },
  {
    name: 'Rubric',
    cell: ({ rubric }) => (rubric ? counted(rubric.criteria.length, 'criterion', 'criteria') : ''),
  },
  { name: 'Changed', figure: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  {
    name: 'Actions',
    figure: true,
    cell: (swarm) => <ArchiveSwarm swarm={swarm} />,
  },
];

function ArchiveSwarm({ swarm: { id: swarmId, projectId, name } }: { swarm: Swarm }) {
  const input = { projectId, swarmId };
  return (
    <ConfirmButton
      variant="quiet"
      label="Archive"
      aria-label={`Archive ${name}`}
      question={`Archive ${name}?`}
      verb="Archive swarm"
      write={() => api.archiveSwarm(input)}
      says={`Swarm ${name} archived`}
      example={<ApiExample operation="archiveSwarm" input={input} />}
    >
      <p>
        The swarm is removed from the list. Its journeys stay but no longer inherit its environments and
        rubric.
      </p>
    </ConfirmButton>
  );
}
