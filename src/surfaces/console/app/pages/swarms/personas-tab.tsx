import { Link } from '@tanstack/react-router';
import { api, askPages, type Output, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import common from '../../kit/common.module.css';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';

type Persona = Output<'listPersonas'>['items'][number];

const route = '/projects/$projectId/swarms';

export function PersonasTab({ projectId }: { projectId: string }) {
  const personas = useInfiniteQuery(askPages('listPersonas', { projectId }));
  return (
    <QueryTable of={personas} lines={6} title="No personas yet" label="Personas" columns={columns}>
      A persona describes a user: a name, a role and how they speak. Create one, or let a model draft some
      from your servers' tools.
    </QueryTable>
  );
}

const sources = { manual: 'written', generated: 'drafted', cluster: 'from chats' };

const columns: Column<Persona>[] = [
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
    cell: (persona) => <DeletePersona persona={persona} />,
  },
];

function DeletePersona({ persona: { id: personaId, projectId, name } }: { persona: Persona }) {
  const input = { projectId, personaId };
  return (
    <ConfirmButton
      variant="quiet"
      label="Delete"
      aria-label={`Delete ${name}`}
      question={`Delete ${name}?`}
      verb="Delete persona"
      write={() => api.deletePersona(input)}
      says={`Persona ${name} deleted`}
      example={<ApiExample operation="deletePersona" input={input} />}
    >
      <p>
        The persona is permanently deleted. Past runs keep it. Personas used by active journeys cannot be
        deleted.
      </p>
    </ConfirmButton>
  );
}
