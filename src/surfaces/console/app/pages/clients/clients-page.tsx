import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { NewClient } from './new-client.tsx';

type Row = Output<'listClients'>['items'][number];

export function ClientsPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/clients' });
  const { add } = useSearch({ from: '/projects/$projectId/clients' });
  const navigate = useNavigate({ from: '/projects/$projectId/clients' });
  const clients = useQuery(ask('listClients', { projectId }));
  const open = (wanted: boolean): void =>
    void navigate({ search: wanted ? { add: true } : {}, replace: !wanted });
  return (
    <Page
      title="Clients"
      actions={
        <>
          <ApiExample operation="listClients" input={{ projectId }} />
          <Button variant="primary" onClick={() => open(true)}>
            New client
          </Button>
        </>
      }
    >
      <QueryTable
        of={clients}
        lines={5}
        title="No clients yet"
        action={
          <Button variant="primary" onClick={() => open(true)}>
            Create client
          </Button>
        }
        label="Clients"
        columns={columnsOf(projectId)}
      >
        A client defines how servers are called: model, prompt, capabilities and protocol, modeled on a known
        product or custom.
      </QueryTable>
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
