import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Field, Select, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { textOf } from '../../kit/text.ts';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';

/** From a template, which can be changed afterwards. */
export function NewClient({
  projectId,
  onClose,
  onMade,
}: {
  projectId: string;
  onClose: () => void;
  onMade: (clientId: string) => void;
}) {
  const catalog = useQuery(ask('getHostCompatCatalog', {}));
  const templates = Object.values(catalog.data?.catalog.hostsById ?? {});
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState<string>();
  const template = templates.find(({ id }) => id === chosen) ?? templates[0];
  const name = typed ?? template?.label ?? '';
  const body = { name, template: template?.id ?? '' };
  const queryClient = useQueryClient();
  const making = useMutation({
    mutationFn: () => api.createClient({ projectId, body }),
    onSuccess: async (client) => {
      say(`Client ${client.name} created`);
      await queryClient.invalidateQueries(answersOf('listClients'));
      onMade(client.id);
    },
  });
  return (
    <FormDialog
      title="New client"
      verb="Create client"
      busy={making.isPending}
      error={making.error ?? catalog.error}
      blocked={name.trim() === '' || !template}
      onClose={onClose}
      onSubmit={() => making.mutate()}
      same={<Same operation="createClient" input={{ projectId, body }} />}
    >
      <Field label="Template">
        <Select
          value={template?.id ?? ''}
          onChange={({ target }) => setChosen(target.value)}
          options={templates.map(({ id, label }) => [id, label] as const)}
        />
      </Field>
      {template && (
        <Note>
          {textOf(template['about'])} Model {template.modelId}; what is known of it is{' '}
          {provenance[template.provenance]}.
        </Note>
      )}
      <Field label="Name" needed>
        <TextInput value={name} onChange={({ target }) => setTyped(target.value)} />
      </Field>
    </FormDialog>
  );
}

const provenance = {
  observed: 'what was observed',
  probe: 'what a probe found out',
  'vendor-doc': 'what its maker documents',
  assumed: 'assumed',
};
