import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { api, ask, useAction, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Json } from '../../kit/code.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Id } from '../../kit/copy.tsx';
import { DialogButton } from '../../kit/dialog-button.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { LoadingPage, QueryState } from '../../kit/query-state.tsx';
import { Revisions } from '../../kit/revisions.tsx';
import { Time } from '../../kit/time.tsx';
import { UsedBy } from '../../kit/used-by.tsx';
import { type Client, EditClient } from './edit-client.tsx';
import { impactText, serverText } from './labels.ts';

export function ClientPage() {
  const { projectId, clientId } = useParams({ from: '/projects/$projectId/clients/$clientId' });
  const { edit } = useSearch({ from: '/projects/$projectId/clients/$clientId' });
  const navigate = useNavigate({ from: '/projects/$projectId/clients/$clientId' });
  const which = { projectId, client: clientId };
  const found = useQuery(ask('getClient', which));
  const servers = useQuery(ask('listProjectServers', { projectId }));
  const list = (
    <Link to="/projects/$projectId/clients" params={{ projectId }}>
      Clients
    </Link>
  );
  if (!found.data) return <LoadingPage of={found} title="Client" crumbs={[list]} />;
  const client = found.data;
  const { id, name, config, versionNumber, updatedAt, impact } = client;
  const words = serverText(servers.data?.items ?? []);
  return (
    <Page
      title={name}
      crumbs={[list]}
      actions={
        <>
          <ApiExample operation="getClient" input={which} />
          <Duplicate projectId={projectId} client={client} />
          <DialogButton
            variant="danger"
            renderDialog={(close) => <DeleteClient projectId={projectId} client={client} onClose={close} />}
          >
            Delete
          </DialogButton>
          <Button variant="primary" onClick={() => void navigate({ search: { edit: true } })}>
            Edit
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          ['ID', <Id key="id" value={id} />],
          ['Model', config.modelId],
          ['Required servers', words(config['serverIds'] ?? '')],
          ['Optional servers', words(config['optionalServerIds'] ?? '')],
          ['Edit impact', impactText(impact)],
          ['Changed', <Time key="changed" at={updatedAt} />],
        ]}
      />
      <Revisions id={id} number={versionNumber} at={updatedAt} value={config} words={words} />
      <Section title="Configuration">
        <Json value={config} label="client configuration" />
      </Section>
      {edit && (
        <EditClient
          projectId={projectId}
          client={client}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      )}
    </Page>
  );
}

function Duplicate({ projectId, client }: { projectId: string; client: Client }) {
  const navigate = useNavigate();
  const copying = useAction(() => api.duplicateClient({ projectId, client: client.id, body: {} }), {
    says: ({ name }) => `Client ${name} created`,
    onDone: ({ id: clientId }) =>
      navigate({ to: '/projects/$projectId/clients/$clientId', params: { projectId, clientId } }),
  });
  return <Button action={copying}>Duplicate</Button>;
}

/** The service refuses while environments use the client, so the dialog lists them and cannot be confirmed. */
function DeleteClient({
  projectId,
  client: { id: clientId, name },
  onClose,
}: {
  projectId: string;
  client: Client;
  onClose: () => void;
}) {
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const uses = (environments.data?.items ?? [])
    .filter(({ hostId }) => hostId === clientId)
    .map((one) => ({ kind: 'environment' as const, id: one.id, name: one.name ?? one.id }));
  const navigate = useNavigate();
  const input = { projectId, client: clientId };
  const deleting = useAction(() => api.deleteClient(input), {
    says: `Client ${name} deleted`,
    onDone: () => navigate({ to: '/projects/$projectId/clients', params: { projectId } }),
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Delete ${name}?`}
      verb="Delete client"
      action={deleting}
      blocked={environments.isPending || uses.length > 0}
      example={<ApiExample operation="deleteClient" input={input} />}
    >
      <p>The client's configuration is deleted. Past runs keep what they recorded.</p>
      <QueryState of={environments} lines={1} />
      {environments.data && (
        <UsedBy
          uses={uses}
          none="No environments use this client."
          lead="These environments use this client. Archive them or change their client first:"
        />
      )}
    </Confirm>
  );
}
