import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, askPages, type Output, useAction, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { QueryState, ShowMore } from '../../kit/query-state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';

type Swarm = Output<'listSwarms'>['items'][number];

const route = '/projects/$projectId/swarms';

export function SwarmsTab({ projectId }: { projectId: string }) {
  const swarms = useInfiniteQuery(askPages('listSwarms', { projectId }));
  const [archiving, setArchiving] = useState<Swarm>();
  const items = swarms.data?.items ?? [];
  if (!swarms.isSuccess) return <QueryState of={swarms} lines={6} />;
  return (
    <>
      {items.length === 0 ? (
        <Empty title="No active swarms">
          A swarm groups related journeys that share environments, a number of sessions and a rubric.
        </Empty>
      ) : (
        <Table label="Swarms" columns={columnsOf(setArchiving)} rows={items} keyOf={({ id }) => id} />
      )}
      <ShowMore of={swarms} />
      {archiving && <ArchiveSwarm swarm={archiving} onClose={() => setArchiving(undefined)} />}
    </>
  );
}

function columnsOf(archive: (swarm: Swarm) => void): Column<Swarm>[] {
  return [
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
      cell: (swarm) => (
        <Button look="quiet" aria-label={`Archive ${swarm.name}`} onClick={() => archive(swarm)}>
          Archive
        </Button>
      ),
    },
  ];
}

function ArchiveSwarm({ swarm, onClose }: { swarm: Swarm; onClose: () => void }) {
  const { id: swarmId, projectId, name } = swarm;
  const archiving = useAction(() => api.archiveSwarm({ projectId, swarmId }), {
    says: `Swarm ${name} archived`,
    onDone: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Archive ${name}?`}
      verb="Archive swarm"
      action={archiving}
      example={<ApiExample operation="archiveSwarm" input={{ projectId, swarmId }} />}
    >
      <p>
        The swarm is removed from the list. Its journeys stay but no longer inherit its environments and
        rubric.
      </p>
    </Confirm>
  );
}
