import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Field, Select } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import { Once } from '../organization/once.tsx';

const spans = [1, 2, 4, 8, 24];

/** Lets somebody without a key look into the directory for some hours. */
export function GuestToken({ organizationId, onClose }: { organizationId: string; onClose: () => void }) {
  const [hours, setHours] = useState(1);
  const input = { organizationId, body: { hours } };
  const making = useMutation({
    mutationFn: () => api.createRegistryGuestToken(input),
    // What is shown once is kept nowhere else.
    gcTime: 0,
  });
  if (making.data)
    return (
      <Once title="The guest token" value={making.data.token} label="guest token" onClose={onClose}>
        <p>
          It is sent like a key, works until <Time at={making.data.expiresAt} />, and is not shown again.
        </p>
      </Once>
    );
  return (
    <FormDialog
      title="Make a guest token"
      verb="Make guest token"
      busy={making.isPending}
      error={making.error}
      onClose={onClose}
      onSubmit={() => making.mutate()}
      same={<Same operation="createRegistryGuestToken" input={input} />}
    >
      <p>
        Whoever has it may search the directory of this installation and read what is in it, and nothing else.
      </p>
      <Field label="How long it works">
        <Select
          value={String(hours)}
          onChange={({ target }) => setHours(Number(target.value))}
          options={spans.map((span) => [String(span), counted(span, 'hour')] as const)}
        />
      </Field>
      <Note>It cannot be taken back before.</Note>
    </FormDialog>
  );
}
