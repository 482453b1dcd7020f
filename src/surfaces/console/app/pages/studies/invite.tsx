import { useState } from 'react';
import { api, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { OneChoice } from '../../kit/choices.tsx';
import { RequiredField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { toastSuccess } from '../../kit/toast.tsx';
import { OneTimeSecretDialog } from '../organization/one-time-secret-dialog.tsx';
import type { Study } from './study.ts';

const ways = [
  { value: 'mail', name: 'Email a link', hint: 'If this service sends email; otherwise you get the link.' },
  { value: 'link', name: 'Show me the link', hint: 'Share it yourself.' },
] as const;

export function Invite({ study, onClose }: { study: Study; onClose: () => void }) {
  const { id: studyId, projectId, name } = study;
  const [email, setEmail] = useState('');
  const [way, setWay] = useState<'mail' | 'link'>('mail');
  const body = { email: email.trim(), sendInviteEmail: way === 'mail' };
  const inviting = useSubmit(() => api.upsertStudyMember({ projectId, studyId, body }), {
    onDone: ({ email: invited, entryUrl }) => {
      if (entryUrl === undefined) {
        toastSuccess(`We have sent a link to ${invited}`);
        onClose();
      }
    },
  });
  const { entryUrl, email: invited } = inviting.data ?? {};
  if (entryUrl !== undefined)
    return (
      <OneTimeSecretDialog title={`Link for ${invited}`} value={entryUrl} label="link" onClose={onClose}>
        {way === 'mail' && <p>This service sends no email. Share the link yourself.</p>}
        <p>The link lets {invited} in once within seven days. It is not shown again.</p>
        <Note>Anyone with this link can use it. Send it only to {invited}.</Note>
      </OneTimeSecretDialog>
    );
  return (
    <FormDialog
      title={`Invite to ${name}`}
      verb="Invite"
      action={inviting}
      onClose={onClose}
      example={<ApiExample operation="upsertStudyMember" input={{ projectId, studyId, body }} />}
    >
      <RequiredField
        label="Email"
        hint="People already invited get a new link."
        type="email"
        autoComplete="off"
        value={email}
        onChange={setEmail}
      />
      <OneChoice legend="Delivery" choices={ways} chosen={way} onChange={setWay} />
    </FormDialog>
  );
}
