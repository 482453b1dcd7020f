import { useState } from 'react';
import { api, ask, type Output, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { LazyDialog } from '../../kit/dialog-button.tsx';
import { AreaField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { QueryState } from '../../kit/query-state.tsx';

type Persona = Output<'getPersona'>;

/** Creates or edits a persona. */
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
      <QueryState of={persona} lines={4} />
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
  const body = {
    name: name.trim(),
    role: role.trim(),
    ...((notes !== '' || persona) && { notes }),
  };
  const saving = useSubmit(
    () =>
      persona
        ? api.updatePersona({ projectId, personaId: persona.id, body })
        : api.createPersona({ projectId, body }),
    { says: (saved) => `Persona ${saved.name} saved`, onDone: onClose },
  );
  return (
    <FormDialog
      title={persona ? `Edit ${persona.name}` : 'New persona'}
      verb={persona ? 'Save changes' : 'Create persona'}
      action={saving}
      blocked={body.name === '' || body.role === ''}
      onClose={onClose}
      example={
        persona ? (
          <ApiExample operation="updatePersona" input={{ projectId, personaId: persona.id, body }} />
        ) : (
          <ApiExample operation="createPersona" input={{ projectId, body }} />
        )
      }
    >
      <TextField label="Name" required maxLength={120} value={name} onChange={setName} />
      <TextField
        label="Role"
        required
        hint="In a few words, for example “harbour master in a hurry”."
        maxLength={120}
        value={role}
        onChange={setRole}
      />
      <AreaField
        label="Notes"
        hint="How they speak, what they know and what they care about."
        rows={5}
        maxLength={2000}
        value={notes}
        onChange={setNotes}
      />
    </FormDialog>
  );
}
