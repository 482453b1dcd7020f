import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Json } from '../../kit/code.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Id } from '../../kit/copy.tsx';
import { Problem, Skeleton } from '../../kit/notice.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { Revisions } from '../../kit/revisions.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { UsedBy } from '../../kit/used-by.tsx';
import { Same } from '../../same/same.tsx';
import { type Client, EditClient } from './edit-client.tsx';
import { impactWords, serverWords } from './words.ts';

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
  if (!found.data)
    return (
      <Page title="Client" name="Client" crumbs={[list]}>
        {found.isError ? (
          <Problem error={found.error} retry={() => void found.refetch()} back={list} />
        ) : (
          <Skeleton lines={6} />
        )}
      </Page>
    );
  const client = found.data;
  const { id, name, config, versionNumber, updatedAt, impact } = client;
  const words = serverWords(servers.data?.items ?? []);
  return (
    <Page
      title={name}
      name={name}
      crumbs={[list]}
      actions={
        <>
          <Same operation="getClient" input={which} />
          <Duplicate projectId={projectId} client={client} />
          <Deleting projectId={projectId} client={client} />
          <Button look="primary" onClick={() => void navigate({ search: { edit: true } })}>
            Edit
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          ['Id', <Id key="id" value={id} />],
          ['Model', config.modelId],
          ['Servers', words(config['serverIds'] ?? '')],
          ['Optional servers', words(config['optionalServerIds'] ?? '')],
          ['An edit', impactWords(impact)],
          ['Changed', <Time key="changed" at={updatedAt} />],
        ]}
      />
      <Revisions id={id} number={versionNumber} at={updatedAt} value={config} words={words} />
      <Section title="Configuration">
        <Json value={config} label="configuration of the client" />
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
  const queryClient = useQueryClient();
  const copying = useMutation({
    mutationFn: () => api.duplicateClient({ projectId, client: client.id, body: {} }),
    onSuccess: async ({ id: clientId, name }) => {
      say(`Client ${name} created`);
      await queryClient.invalidateQueries(answersOf('listClients'));
      await navigate({ to: '/projects/$projectId/clients/$clientId', params: { projectId, clientId } });
    },
    onError: complain,
  });
  return (
    <Button busy={copying.isPending} onClick={() => copying.mutate()}>
      Duplicate
    </Button>
  );
}

/** Refused while environments use it, so those are named instead of asking. */
function Deleting({ projectId, client }: { projectId: string; client: Client }) {
  const [asking, setAsking] = useState(false);
  const environments = useQuery({ ...ask('listEnvironments', { projectId }), enabled: asking });
  const uses = (environments.data?.items ?? [])
    .filter(({ hostId }) => hostId === client.id)
    .map(({ id, name }) => ({ kind: 'environment' as const, id, name: name ?? id }));
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const input = { projectId, client: client.id };
  const deleting = useMutation({
    mutationFn: () => api.deleteClient(input),
    onSuccess: async () => {
      say(`Client ${client.name} deleted`);
      await navigate({ to: '/projects/$projectId/clients', params: { projectId } });
      await queryClient.invalidateQueries(answersOf('listClients'));
    },
    onError: complain,
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Delete ${client.name}?`}
          verb="Delete client"
          busy={deleting.isPending}
          blocked={environments.isPending || uses.length > 0}
          same={<Same operation="deleteClient" input={input} />}
          onConfirm={() => deleting.mutate()}
          lost={
            <>
              <p>Its configuration is lost. Runs that were made with it keep what they recorded.</p>
              {environments.isPending && <Skeleton lines={1} />}
              {environments.isError && <Problem error={environments.error} />}
              {environments.data && (
                <UsedBy
                  uses={uses}
                  none="No environment uses it."
                  lead="These use it. Archive them, or give them another client, first:"
                />
              )}
            </>
          }
        />
      )}
    </>
  );
}
