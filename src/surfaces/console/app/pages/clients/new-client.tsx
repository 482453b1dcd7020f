import { useState } from 'react';
import { api, ask, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { textOf } from '../../kit/text.ts';

/** Creates a client from a template. */
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
  const making = useSubmit(() => api.createClient({ projectId, body }), {
    says: (client) => `Client ${client.name} created`,
    onDone: (client) => onMade(client.id),
  });
  return (
    <FormDialog
      title="New client"
      verb="Create client"
      action={making}
      error={catalog.error}
      blocked={name.trim() === '' || !template}
      onClose={onClose}
      example={<ApiExample operation="createClient" input={{ projectId, body }} />}
    >
      <SelectField
        label="Template"
        value={template?.id ?? ''}
        options={templates.map(({ id, label }) => [id, label] as const)}
        onChange={setChosen}
      />
      {template && (
        <Note>
          {textOf(template['about'])} Model {template.modelId}; based on {provenance[template.provenance]}.
        </Note>
      )}
      <TextField label="Name" required value={name} onChange={setTyped} />
    </FormDialog>
  );
}

const provenance = {
  observed: 'observed behavior',
  probe: 'a probe',
  'vendor-doc': 'vendor documentation',
  assumed: 'assumptions',
};
