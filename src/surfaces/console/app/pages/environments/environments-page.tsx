import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ask, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import { counted } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import type { Environment } from './composition.ts';
import { EnvironmentForm } from './environment-form.tsx';

export function EnvironmentsPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/environments' });
  const { archived, add } = useSearch({ from: '/projects/$projectId/environments' });
  const navigate = useNavigate({ from: '/projects/$projectId/environments' });
  const input = { projectId, ...(archived && { includeArchived: 'true' as const }) };
  const environments = useQuery(ask('listEnvironments', input));
  const clients = useQuery(ask('listClients', { projectId }));
  const groups = useQuery(ask('listServerGroups', { projectId }));
  const names = new Map(
    [...(clients.data?.items ?? []), ...(groups.data?.items ?? [])].map(({ id, name }) => [id, name]),
  );
  const open = (wanted: boolean): void =>
    void navigate({ search: { archived, ...(wanted && { add: true }) }, replace: !wanted });
  return (
    <Page
      title="Environments"
      actions={
        <>
          <Switch
            label="Show archived"
            checked={archived === true}
            onChange={(on) => void navigate({ search: on ? { archived: true } : {}, replace: true })}
          />
          <ApiExample operation="listEnvironments" input={input} />
          <Button variant="primary" onClick={() => open(true)}>
            New environment
          </Button>
        </>
      }
    >
      <QueryTable
        of={environments}
        lines={5}
        title={archived ? 'No environments yet' : 'No active environments'}
        action={
          <Button variant="primary" onClick={() => open(true)}>
            Create environment
          </Button>
        }
        label="Environments"
        columns={columnsOf(projectId, names)}
      >
        An environment combines a client with servers, skills, plugin versions, secrets and a model. Runs,
        chats, swarms and studies can use it.
      </QueryTable>
      {add && (
        <EnvironmentForm
          projectId={projectId}
          onClose={() => open(false)}
          onSaved={({ id: environmentId }) =>
            void navigate({
              to: '/projects/$projectId/environments/$environmentId',
              params: { projectId, environmentId },
            })
          }
        />
      )}
    </Page>
  );
}

function columnsOf(projectId: string, names: Map<string, string>): Column<Environment>[] {
  return [
    {
      name: 'Name',
      main: true,
      cell: ({ id, name, archived }) => (
        <>
          <Link
            to="/projects/$projectId/environments/$environmentId"
            params={{ projectId, environmentId: id }}
          >
            {name ?? id}
          </Link>{' '}
          {archived && <StateMark state="skipped">archived</StateMark>}
        </>
      ),
    },
    { name: 'Client', cell: ({ hostId }) => names.get(hostId) ?? hostId },
    {
      name: 'Servers',
      cell: ({ serverAttachmentId }) =>
        serverAttachmentId === undefined
          ? 'from the client'
          : (names.get(serverAttachmentId) ?? serverAttachmentId),
    },
    { name: 'Model', cell: ({ modelId }) => modelId ?? 'from the client' },
    { name: 'Includes', cell: pinsOf },
    { name: 'Revision', figure: true, cell: ({ revision }) => revision },
    { name: 'Changed', figure: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}

function pinsOf({ secretSelection, skillSelection, pluginVersionIds = [] }: Environment): string {
  const pins: [number, string][] = [
    [secretSelection?.secretIds.length ?? 0, 'secret'],
    [skillSelection?.skillIds.length ?? 0, 'skill'],
    [pluginVersionIds.length, 'plugin'],
  ];
  return pins.flatMap(([many, noun]) => (many === 0 ? [] : [counted(many, noun)])).join(', ');
}
