import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { UsedBy } from '../../kit/used-by.tsx';
import { Same } from '../../same/same.tsx';
import { SecretForm } from './secret-form.tsx';

type Secret = Output<'listSecrets'>['items'][number];

/** A secret with the environments that hand it to their runs. */
interface Row {
  secret: Secret;
  uses: { kind: 'environment'; id: string; name: string }[];
}

export function SecretsPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/secrets' });
  const { add } = useSearch({ from: '/projects/$projectId/secrets' });
  const navigate = useNavigate({ from: '/projects/$projectId/secrets' });
  const secrets = useQuery(ask('listSecrets', { projectId }));
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const [replacing, setReplacing] = useState<Secret>();
  const [deleting, setDeleting] = useState<Row>();
  const rows = (secrets.data?.items ?? []).map((secret) => ({
    secret,
    uses: (environments.data?.items ?? [])
      .filter(({ secretSelection }) => secretSelection?.secretIds.includes(secret.id))
      .map(({ id, name }) => ({ kind: 'environment' as const, id, name: name ?? id })),
  }));
  const open = (wanted: boolean): void =>
    void navigate({ search: wanted ? { add: true } : {}, replace: !wanted });
  return (
    <Page
      title="Secrets"
      name="Secrets"
      actions={
        <>
          <Same operation="listSecrets" input={{ projectId }} />
          <Button look="primary" onClick={() => open(true)}>
            New secret
          </Button>
        </>
      }
    >
      {secrets.isPending && <Skeleton lines={5} />}
      {secrets.isError && <Problem error={secrets.error} retry={() => void secrets.refetch()} />}
      {secrets.isSuccess && rows.length === 0 && (
        <Empty
          title="No secret yet"
          action={
            <Button look="primary" onClick={() => open(true)}>
              Store a secret
            </Button>
          }
        >
          Values that runs receive. They go in and never come out: not here, not over the API.
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label="Secrets"
          columns={columnsOf(setReplacing, setDeleting)}
          rows={rows}
          keyOf={({ secret }) => secret.id}
        />
      )}
      {add && <SecretForm projectId={projectId} onClose={() => open(false)} />}
      {replacing && (
        <SecretForm projectId={projectId} secret={replacing} onClose={() => setReplacing(undefined)} />
      )}
      {deleting && (
        <DeleteSecret projectId={projectId} row={deleting} onClose={() => setDeleting(undefined)} />
      )}
    </Page>
  );
}

function columnsOf(replace: (secret: Secret) => void, remove: (row: Row) => void): Column<Row>[] {
  return [
    { name: 'Name', main: true, cell: ({ secret }) => <code title={secret.id}>{secret.name}</code> },
    { name: 'About', cell: ({ secret }) => secret.description },
    {
      name: 'Handed over',
      cell: ({ secret: { delivery, brokerHeader, brokerHosts = [] } }) =>
        delivery === 'materialized'
          ? 'as a variable of the run'
          : `in ${brokerHeader} to ${brokerHosts.join(', ')}`,
    },
    { name: 'For', cell: ({ secret }) => (secret.sharing === 'user' ? 'only you' : 'the project') },
    {
      name: 'Used by',
      cell: ({ uses }) =>
        uses.length === 0 ? (
          'nothing'
        ) : (
          <span title={uses.map(({ name }) => name).join(', ')}>{counted(uses.length, 'environment')}</span>
        ),
    },
    {
      name: 'Last handed over',
      figure: true,
      cell: ({ secret }) =>
        secret.lastDeliveredAt === null ? 'never' : <Time at={secret.lastDeliveredAt} />,
    },
    { name: 'Changed', figure: true, cell: ({ secret }) => <Time at={secret.updatedAt} /> },
    {
      name: 'Actions',
      figure: true,
      cell: (row) => (
        <>
          <Button look="quiet" onClick={() => replace(row.secret)}>
            Replace
          </Button>
          <Button look="quiet" onClick={() => remove(row)}>
            Delete
          </Button>
        </>
      ),
    },
  ];
}

function DeleteSecret({ projectId, row, onClose }: { projectId: string; row: Row; onClose: () => void }) {
  const queryClient = useQueryClient();
  const input = { projectId, secretId: row.secret.id };
  const deleting = useMutation({
    mutationFn: () => api.deleteSecret(input),
    onSuccess: async ({ name }) => {
      onClose();
      say(`Secret ${name} deleted`);
      await queryClient.invalidateQueries(answersOf('listSecrets'));
      await queryClient.invalidateQueries(answersOf('resolveEnvironment'));
    },
    onError: complain,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Delete ${row.secret.name}?`}
      verb="Delete secret"
      busy={deleting.isPending}
      same={<Same operation="deleteSecret" input={input} />}
      onConfirm={() => deleting.mutate()}
      lost={
        <>
          <p>
            The value is lost for good. Runs that have begun keep it, and whoever issued it still accepts it:
            revoke it there too.
          </p>
          <UsedBy
            uses={row.uses}
            none="No environment hands it to its runs."
            lead="These hand it to their runs, which will be refused without it:"
          />
        </>
      }
    />
  );
}
