import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, askPages, type Output, useAction, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty } from '../../kit/notice.tsx';
import { QueryState, ShowMore } from '../../kit/query-state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';

type Persona = Output<'listPersonas'>['items'][number];

const route = '/projects/$projectId/swarms';

export function PersonasTab({ projectId }: { projectId: string }) {
  const personas = useInfiniteQuery(askPages('listPersonas', { projectId }));
  const [deleting, setDeleting] = useState<Persona>();
  const items = personas.data?.items ?? [];
  if (!personas.isSuccess) return <QueryState of={personas} lines={6} />;
  return (
    <>
      {items.length === 0 ? (
        <Empty title="No personas yet">
          A persona describes a user: a name, a role and how they speak. Create one, or let a model draft some
          from your servers' tools.
        </Empty>
      ) : (
        <Table label="Personas" columns={columnsOf(setDeleting)} rows={items} keyOf={({ id }) => id} />
      )}
      <ShowMore of={personas} />
      {deleting && <DeletePersona persona={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

const sources = { manual: 'written', generated: 'drafted', cluster: 'from chats' };

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
    { name: 'Source', cell: ({ source }) => <span className={common.soft}>{sources[source]}</span> },
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
  const deleting = useAction(() => api.deletePersona({ projectId, personaId }), {
    says: `Persona ${name} deleted`,
    onDone: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Delete ${name}?`}
      verb="Delete persona"
      action={deleting}
      example={<ApiExample operation="deletePersona" input={{ projectId, personaId }} />}
    >
      <p>
        The persona is permanently deleted. Past runs keep it. Personas used by active journeys cannot be
        deleted.
      </p>
    </Confirm>
  );
}
