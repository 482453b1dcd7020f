import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';

export type Visibility = 'public' | 'private';

export const visibilities: [Visibility, string][] = [
  ['public', 'Public: all members of the organization'],
  ['private', 'Private: invited members and administrators'],
];

/** Creates a project and opens it. */
export function NewProject({
  organizationId,
  onClose,
}: {
  /** Organization to create it in; the current one by default. */
  organizationId: string | undefined;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [visibility, setVisibility] = useState<Visibility>('public');
  const navigate = useNavigate();
  const body = {
    name,
    visibility,
    ...(description !== '' && { description }),
    ...(organizationId !== undefined && { organizationId }),
  };
  const making = useSubmit(() => api.createProject({ body }), {
    says: (project) => `Project ${project.name} created`,
    onDone: async (project) => {
      onClose();
      await navigate({ to: '/projects/$projectId', params: { projectId: project.id } });
    },
  });
  return (
    <FormDialog
      title="New project"
      verb="Create project"
      action={making}
      blocked={name.trim() === ''}
      onClose={onClose}
      example={<ApiExample operation="createProject" input={{ body }} />}
    >
      <TextField label="Name" required value={name} onChange={setName} />
      <TextField label="Description" value={description} onChange={setDescription} />
      <SelectField label="Visibility" value={visibility} options={visibilities} onChange={setVisibility} />
    </FormDialog>
  );
}
