import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Choices } from '../../kit/choices.tsx';
import { Id } from '../../kit/copy.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';

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
      name="Server groups"
      actions={
        <>
          <Same operation="listServerGroups" input={{ projectId }} />
          <Button look="primary" onClick={() => open(true)}>
            New group
          </Button>
        </>
      }
    >
      {groups.isPending && <Skeleton lines={5} />}
      {groups.isError && <Problem error={groups.error} retry={() => void groups.refetch()} />}
      {groups.isSuccess && rows.length === 0 && (
        <Empty
          title="No group yet"
          action={
            <Button look="primary" onClick={() => open(true)}>
              Group servers
            </Button>
          }
        >
          Servers under one name, for environments to run with instead of those of their client.
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          <Note>A group never changes, so that a run can be told by it. Make another one instead.</Note>
          <Table label="Server groups" columns={columns} rows={rows} keyOf={({ group }) => group.id} />
        </>
      )}
      {add && <NewGroup projectId={projectId} onClose={() => open(false)} />}
    </Page>
  );
}

const columns: Column<Row>[] = [
  { name: 'Name', main: true, cell: ({ group }) => group.name },
  { name: 'About', cell: ({ group }) => group.description },
  { name: 'Servers', cell: ({ group }) => group.serverNames.join(', ') },
  { name: 'Environments', cell: ({ usedBy }) => usedBy.join(', ') },
  { name: 'Id', cell: ({ group }) => <Id value={group.id} /> },
  { name: 'Made', figure: true, cell: ({ group }) => <Time at={group.createdAt} /> },
];

function NewGroup({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const servers = useQuery(ask('listProjectServers', { projectId }));
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [serverIds, setServerIds] = useState<string[]>([]);
  const queryClient = useQueryClient();
  const body = { name, serverIds, ...(description !== '' && { description }) };
  const making = useMutation({
    mutationFn: () => api.createServerGroup({ projectId, body }),
    onSuccess: async (group) => {
      say(`Group ${group.name} created`);
      await queryClient.invalidateQueries(answersOf('listServerGroups'));
      onClose();
    },
  });
  return (
    <FormDialog
      title="New server group"
      verb="Create group"
      busy={making.isPending}
      error={making.error ?? servers.error}
      blocked={name.trim() === '' || serverIds.length === 0}
      onClose={onClose}
      onSubmit={() => making.mutate()}
      same={<Same operation="createServerGroup" input={{ projectId, body }} />}
    >
      <Field label="Name" needed>
        <TextInput value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field label="Description">
        <TextInput value={description} onChange={({ target }) => setDescription(target.value)} />
      </Field>
      <Choices
        legend="Servers"
        none="No server is saved in this project."
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
