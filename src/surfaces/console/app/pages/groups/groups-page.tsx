import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, type Output, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Choices } from '../../kit/choices.tsx';
import { Id } from '../../kit/copy.tsx';
import { TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';

type Group = Output<'listServerGroups'>['items'][number];

interface Row {
  group: Group;
  usedBy: string[];
}

export function GroupsPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/groups' });
  const { add } = useSearch({ from: '/projects/$projectId/groups' });
  const navigate = useNavigate({ from: '/projects/$projectId/groups' });
  const groups = useQuery(ask('listServerGroups', { projectId }));
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const rows = (groups.data?.items ?? []).map((group) => ({
    group,
    usedBy: (environments.data?.items ?? [])
      .filter(({ serverAttachmentId }) => serverAttachmentId === group.id)
      .map(({ id, name }) => name ?? id),
  }));
  const open = (wanted: boolean): void =>
    void navigate({ search: wanted ? { add: true } : {}, replace: !wanted });
  return (
    <Page
      title="Server groups"
      actions={
        <>
          <ApiExample operation="listServerGroups" input={{ projectId }} />
          <Button variant="primary" onClick={() => open(true)}>
            New group
          </Button>
        </>
      }
    >
      <QueryTable
        of={groups}
        lines={5}
        title="No groups yet"
        action={
          <Button variant="primary" onClick={() => open(true)}>
            Create group
          </Button>
        }
        note={
          <Note>Groups are immutable, so that runs stay reproducible. To change one, create another.</Note>
        }
        label="Server groups"
        columns={columns}
        rows={rows}
        keyOf={({ group }) => group.id}
      >
        A group is a set of servers that an environment can use instead of its client's servers.
      </QueryTable>
      {add && <NewGroup projectId={projectId} onClose={() => open(false)} />}
    </Page>
  );
}

const columns: Column<Row>[] = [
  { name: 'Name', main: true, cell: ({ group }) => group.name },
  { name: 'Description', cell: ({ group }) => group.description },
  { name: 'Servers', cell: ({ group }) => group.serverNames.join(', ') },
  { name: 'Environments', cell: ({ usedBy }) => usedBy.join(', ') },
  { name: 'ID', cell: ({ group }) => <Id value={group.id} /> },
  { name: 'Created', figure: true, cell: ({ group }) => <Time at={group.createdAt} /> },
];

function NewGroup({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const servers = useQuery(ask('listProjectServers', { projectId }));
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [serverIds, setServerIds] = useState<string[]>([]);
  const body = { name, serverIds, ...(description !== '' && { description }) };
  const making = useSubmit(() => api.createServerGroup({ projectId, body }), {
    says: (group) => `Group ${group.name} created`,
    onDone: onClose,
  });
  return (
    <FormDialog
      title="New server group"
      verb="Create group"
      action={making}
      error={servers.error}
      blocked={name.trim() === '' || serverIds.length === 0}
      onClose={onClose}
      example={<ApiExample operation="createServerGroup" input={{ projectId, body }} />}
    >
      <TextField label="Name" required value={name} onChange={setName} />
      <TextField label="Description" value={description} onChange={setDescription} />
      <Choices
        legend="Servers"
        none="This project has no servers."
        choices={(servers.data?.items ?? []).map(({ id, name: server, url }) => ({
          value: id,
          name: server,
          hint: url,
        }))}
        chosen={serverIds}
        onChange={setServerIds}
      />
    </FormDialog>
  );
}
