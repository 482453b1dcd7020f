import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { api, ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { DialogButton } from '../../kit/dialog-button.tsx';
import { counted } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { UsedBy } from '../../kit/used-by.tsx';
import { SecretForm } from './secret-form.tsx';

type Secret = Output<'listSecrets'>['items'][number];

/** A secret with the environments that use it. */
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
      actions={
        <>
          <ApiExample operation="listSecrets" input={{ projectId }} />
          <Button variant="primary" onClick={() => open(true)}>
            New secret
          </Button>
        </>
      }
    >
      <QueryTable
        of={secrets}
        lines={5}
        title="No secrets yet"
        action={
          <Button variant="primary" onClick={() => open(true)}>
            Add secret
          </Button>
        }
        label="Secrets"
        columns={columnsOf(projectId)}
        rows={rows}
        keyOf={({ secret }) => secret.id}
      >
        Secrets are passed to runs. Stored values are never shown, here or over the API.
      </QueryTable>
      {add && <SecretForm projectId={projectId} onClose={() => open(false)} />}
    </Page>
  );
}

function columnsOf(projectId: string): Column<Row>[] {
  return [
    { name: 'Name', main: true, cell: ({ secret }) => <code title={secret.id}>{secret.name}</code> },
    { name: 'Description', cell: ({ secret }) => secret.description },
    {
      name: 'Passed as',
      cell: ({ secret: { delivery, brokerHeader, brokerHosts = [] } }) =>
        delivery === 'materialized'
          ? 'environment variable'
          : `in ${brokerHeader} to ${brokerHosts.join(', ')}`,
    },
    { name: 'Scope', cell: ({ secret }) => (secret.sharing === 'user' ? 'personal' : 'project') },
    {
      name: 'Used by',
      cell: ({ uses }) =>
        uses.length === 0 ? (
          'no environments'
        ) : (
          <span title={uses.map(({ name }) => name).join(', ')}>{counted(uses.length, 'environment')}</span>
        ),
    },
    {
      name: 'Last used',
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
          <DialogButton
            variant="quiet"
            renderDialog={(close) => <SecretForm projectId={projectId} secret={row.secret} onClose={close} />}
          >
            Replace
          </DialogButton>
          <DeleteSecret projectId={projectId} row={row} />
        </>
      ),
    },
  ];
}

function DeleteSecret({ projectId, row: { secret, uses } }: { projectId: string; row: Row }) {
  const input = { projectId, secretId: secret.id };
  return (
    <ConfirmButton
      variant="quiet"
      label="Delete"
      question={`Delete ${secret.name}?`}
      verb="Delete secret"
      write={() => api.deleteSecret(input)}
      says={`Secret ${secret.name} deleted`}
      example={<ApiExample operation="deleteSecret" input={input} />}
    >
      <p>
        The value is permanently deleted. Runs in progress keep it. It stays valid at its issuer: revoke it
        there too.
      </p>
      <UsedBy
        uses={uses}
        none="No environments use this secret."
        lead="Used by these environments, whose runs will be refused without it:"
      />
    </ConfirmButton>
  );
}
