import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '../../../../client/index.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../kit/button.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import { NewClient } from './new-client.tsx';

type Row = Output<'listClients'>['items'][number];

export function ClientsPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/clients' });
  const { add } = useSearch({ from: '/projects/$projectId/clients' });
  const navigate = useNavigate({ from: '/projects/$projectId/clients' });
  const clients = useQuery(ask('listClients', { projectId }));
  const items = clients.data?.items ?? [];
  const open = (wanted: boolean): void =>
    void navigate({ search: wanted ? { add: true } : {}, replace: !wanted });
  return (
    <Page
      title="Clients"
      name="Clients"
      actions={
        <>
          <Same operation="listClients" input={{ projectId }} />
          <Button look="primary" onClick={() => open(true)}>
            New client
          </Button>
        </>
      }
    >
      {clients.isPending && <Skeleton lines={5} />}
      {clients.isError && <Problem error={clients.error} retry={() => void clients.refetch()} />}
      {clients.isSuccess && items.length === 0 && (
        <Empty
          title="No client yet"
          action={
            <Button look="primary" onClick={() => open(true)}>
              Create a client
            </Button>
          }
        >
          A client is how servers are talked to: model, prompt, capabilities and protocol, after a known
          product or of your own.
        </Empty>
      )}
      {items.length > 0 && (
        <Table label="Clients" columns={columnsOf(projectId)} rows={items} keyOf={({ id }) => id} />
      )}
      {add && (
        <NewClient
          projectId={projectId}
          onClose={() => open(false)}
          onMade={(clientId) =>
            void navigate({ to: '/projects/$projectId/clients/$clientId', params: { projectId, clientId } })
          }
        />
      )}
    </Page>
  );
}

function columnsOf(projectId: string): Column<Row>[] {
  return [
    {
      name: 'Name',
      main: true,
      cell: ({ id, name }) => (
        <Link to="/projects/$projectId/clients/$clientId" params={{ projectId, clientId: id }}>
          {name}
        </Link>
      ),
    },
    { name: 'Model', cell: ({ modelId }) => modelId },
    { name: 'Servers', figure: true, cell: ({ serverCount }) => serverCount },
    { name: 'Changed', figure: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}
