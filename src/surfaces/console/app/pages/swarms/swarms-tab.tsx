import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, askPages } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';

type Swarm = Output<'listSwarms'>['items'][number];

const route = '/projects/$projectId/swarms';

export function SwarmsTab({ projectId }: { projectId: string }) {
  const swarms = useInfiniteQuery(askPages('listSwarms', { projectId }));
  const [archiving, setArchiving] = useState<Swarm>();
  const items = swarms.data?.pages.flatMap((page) => page.items) ?? [];
  if (swarms.isError) return <Problem error={swarms.error} retry={() => void swarms.refetch()} />;
  if (swarms.isPending) return <Skeleton lines={6} />;
  return (
    <>
      {items.length === 0 ? (
        <Empty title="No swarm yet">
          A swarm holds journeys that belong together, with what they have in common: environments, how many
          sessions, and a rubric.
        </Empty>
      ) : (
        <Table label="Swarms" columns={columnsOf(setArchiving)} rows={items} keyOf={({ id }) => id} />
      )}
      {swarms.hasNextPage && (
        <div>
          <Button busy={swarms.isFetchingNextPage} onClick={() => void swarms.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
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
    { name: 'About', cell: ({ description }) => description },
    {
      name: 'Sessions with each target',
      figure: true,
      cell: ({ sessionsPerTarget }) => sessionsPerTarget ?? '',
    },
    { name: 'Turns, at most', figure: true, cell: ({ maxTurns }) => maxTurns ?? '' },
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
  const queryClient = useQueryClient();
  const archiving = useMutation({
    mutationFn: () => api.archiveSwarm({ projectId, swarmId }),
    onSuccess: async () => {
      say(`Swarm ${name} archived`);
      onClose();
      await queryClient.invalidateQueries(answersOf('listSwarms'));
    },
    onError: complain,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Archive ${name}?`}
      verb="Archive swarm"
      busy={archiving.isPending}
      onConfirm={() => archiving.mutate()}
      same={<Same operation="archiveSwarm" input={{ projectId, swarmId }} />}
      lost={<p>It leaves the list. Its journeys stay, and no longer take its environments and its rubric.</p>}
    />
  );
}
