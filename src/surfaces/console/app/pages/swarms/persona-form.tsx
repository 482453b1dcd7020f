import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Field, TextArea, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { LazyDialog } from '../../kit/lazy-dialog.tsx';
import { Problem, Skeleton } from '../../kit/notice.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';

type Persona = Output<'getPersona'>;

/** Makes a persona, or changes one. */
export function PersonaForm({
  projectId,
  personaId,
  onClose,
}: {
  projectId: string;
  personaId?: string;
  onClose: () => void;
}) {
  const persona = useQuery({
    ...ask('getPersona', { projectId, personaId: personaId ?? '' }),
    enabled: personaId !== undefined,
  });
  if (personaId === undefined) return <Fields projectId={projectId} onClose={onClose} />;
  if (persona.data)
    return (
      <Fields key={persona.data.updatedAt} projectId={projectId} persona={persona.data} onClose={onClose} />
    );
  return (
    <LazyDialog onClose={onClose} title="Persona">
      {persona.isError ? (
        <Problem error={persona.error} retry={() => void persona.refetch()} />
      ) : (
        <Skeleton lines={4} />
      )}
    </LazyDialog>
  );
}

function Fields({
  projectId,
  persona,
  onClose,
}: {
  projectId: string;
  persona?: Persona;
  onClose: () => void;
}) {
  const [name, setName] = useState(persona?.name ?? '');
  const [role, setRole] = useState(persona?.role ?? '');
  const [notes, setNotes] = useState(persona?.notes ?? '');
  const queryClient = useQueryClient();
  const body = {
    name: name.trim(),
    role: role.trim(),
    ...((notes !== '' || persona) && { notes }),
  };
  const saving = useMutation({
    mutationFn: () =>
      persona
        ? api.updatePersona({ projectId, personaId: persona.id, body })
        : api.createPersona({ projectId, body }),
    onSuccess: async (saved) => {
      say(`Persona ${saved.name} saved`);
      onClose();
      for (const id of ['listPersonas', 'getPersona'] as const)
        await queryClient.invalidateQueries(answersOf(id));
    },
  });
  return (
    <FormDialog
      title={persona ? `Edit ${persona.name}` : 'New persona'}
      verb={persona ? 'Save changes' : 'Create persona'}
      busy={saving.isPending}
      error={saving.error}
      blocked={body.name === '' || body.role === ''}
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={
        persona ? (
          <Same operation="updatePersona" input={{ projectId, personaId: persona.id, body }} />
        ) : (
          <Same operation="createPersona" input={{ projectId, body }} />
        )
      }
    >
      <Field label="Name" needed>
        <TextInput maxLength={120} value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field label="Role" needed hint="What they are, in a few words: “harbour master in a hurry”.">
        <TextInput maxLength={120} value={role} onChange={({ target }) => setRole(target.value)} />
      </Field>
      <Field label="Notes" hint="How they speak, what they know, what they care about.">
        <TextArea rows={5} maxLength={2000} value={notes} onChange={({ target }) => setNotes(target.value)} />
      </Field>
    </FormDialog>
  );
}
