import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, askPages } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import css from './swarms.module.css';

type Persona = Output<'listPersonas'>['items'][number];

const route = '/projects/$projectId/swarms';

export function PersonasTab({ projectId }: { projectId: string }) {
  const personas = useInfiniteQuery(askPages('listPersonas', { projectId }));
  const [deleting, setDeleting] = useState<Persona>();
  const items = personas.data?.pages.flatMap((page) => page.items) ?? [];
  if (personas.isError) return <Problem error={personas.error} retry={() => void personas.refetch()} />;
  if (personas.isPending) return <Skeleton lines={6} />;
  return (
    <>
      {items.length === 0 ? (
        <Empty title="No persona yet">
          A persona is somebody who wants something: a name, a role, and how they speak. Write one, or have a
          model draft some from the tools that your servers offer.
        </Empty>
      ) : (
        <Table label="Personas" columns={columnsOf(setDeleting)} rows={items} keyOf={({ id }) => id} />
      )}
      {personas.hasNextPage && (
        <div>
          <Button busy={personas.isFetchingNextPage} onClick={() => void personas.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      {deleting && <DeletePersona persona={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

const sources = { manual: 'written', generated: 'drafted', cluster: 'seen in chats' };

function columnsOf(remove: (persona: Persona) => void): Column<Persona>[] {
  return [
    {
      name: 'Name',
      main: true,
      cell: ({ id, name }) => (
        <Link from={route} to="." search={(before) => ({ ...before, edit: id })}>
          {name}
        </Link>
      ),
    },
    { name: 'Role', cell: ({ role }) => role },
    { name: 'Notes', cell: ({ notes }) => (notes === null ? '' : cut(notes, 160)) },
    { name: 'Came from', cell: ({ source }) => <span className={css.soft}>{sources[source]}</span> },
    { name: 'Changed', figure: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    {
      name: 'Actions',
      figure: true,
      cell: (persona) => (
        <Button look="quiet" aria-label={`Delete ${persona.name}`} onClick={() => remove(persona)}>
          Delete
        </Button>
      ),
    },
  ];
}

function DeletePersona({ persona, onClose }: { persona: Persona; onClose: () => void }) {
  const { id: personaId, projectId, name } = persona;
  const queryClient = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => api.deletePersona({ projectId, personaId }),
    onSuccess: async () => {
      say(`Persona ${name} deleted`);
      onClose();
      await queryClient.invalidateQueries(answersOf('listPersonas'));
    },
    onError: complain,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Delete ${name}?`}
      verb="Delete persona"
      busy={deleting.isPending}
      onConfirm={() => deleting.mutate()}
      same={<Same operation="deletePersona" input={{ projectId, personaId }} />}
      lost={
        <p>
          What was written about them is lost. Runs that were launched keep it. It is refused while a journey
          that is not archived has them.
        </p>
      }
    />
  );
}
