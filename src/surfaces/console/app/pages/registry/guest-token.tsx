import { useState } from 'react';
import { api, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { SelectField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Time } from '../../kit/time.tsx';
import { OneTimeSecretDialog } from '../organization/one-time-secret-dialog.tsx';

const spans = [1, 2, 4, 8, 24];

/** Creates a token that grants read access to the directory for a few hours. */
export function GuestToken({ organizationId, onClose }: { organizationId: string; onClose: () => void }) {
  const [hours, setHours] = useState(1);
  const input = { organizationId, body: { hours } };
  const making = useSubmit(() => api.createRegistryGuestToken(input));
  if (making.data)
    return (
      <OneTimeSecretDialog
        title="Guest token"
        value={making.data.token}
        label="guest token"
        onClose={onClose}
      >
        <p>
          Send this token like an API key. Copy it now: it is not shown again. Expires{' '}
          <Time at={making.data.expiresAt} />.
        </p>
      </OneTimeSecretDialog>
    );
  return (
    <FormDialog
      title="Create guest token"
      verb="Create token"
      action={making}
      onClose={onClose}
      example={<ApiExample operation="createRegistryGuestToken" input={input} />}
    >
      <p>Grants read access to this installation's directory and nothing else.</p>
      <SelectField
        label="Expires after"
        value={String(hours)}
        options={spans.map((span) => [String(span), counted(span, 'hour')] as const)}
        onChange={(value) => setHours(Number(value))}
      />
      <Note>Guest tokens cannot be revoked before they expire.</Note>
    </FormDialog>
  );
}
