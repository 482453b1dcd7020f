import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Field, Select, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { type Visibility, visibilities } from './visibility.ts';

/** Makes a project and opens it. */
export function NewProject({
  organizationId,
  onClose,
}: {
  /** Where it is made; the one that is meant otherwise if left out. */
  organizationId: string | undefined;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [visibility, setVisibility] = useState<Visibility>('public');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const body = {
    name,
    visibility,
    ...(description !== '' && { description }),
    ...(organizationId !== undefined && { organizationId }),
  };
  const making = useMutation({
    mutationFn: () => api.createProject({ body }),
    onSuccess: async (project) => {
      say(`Project ${project.name} created`);
      onClose();
      await queryClient.invalidateQueries(answersOf('listProjects'));
      await navigate({ to: '/projects/$projectId', params: { projectId: project.id } });
    },
  });
  return (
    <FormDialog
      title="New project"
      verb="Create project"
      busy={making.isPending}
      error={making.error}
      blocked={name.trim() === ''}
      onClose={onClose}
      onSubmit={() => making.mutate()}
      same={<Same operation="createProject" input={{ body }} />}
    >
      <Field label="Name" needed>
        <TextInput value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field label="Description">
        <TextInput value={description} onChange={({ target }) => setDescription(target.value)} />
      </Field>
      <Field label="Who sees it">
        <Select
          value={visibility}
          onChange={({ target }) => setVisibility(target.value as Visibility)}
          options={visibilities}
        />
      </Field>
    </FormDialog>
  );
}
