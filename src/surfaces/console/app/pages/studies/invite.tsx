import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { OneChoice } from '../../kit/choices.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { Once } from '../organization/once.tsx';
import type { Study } from './study.ts';

const ways = [
  { value: 'mail', name: 'Mail the way in', hint: 'Where this service sends mail; else you get the link.' },
  { value: 'link', name: 'Give me the link', hint: 'You hand it over yourself.' },
] as const;

export function Invite({ study, onClose }: { study: Study; onClose: () => void }) {
  const { id: studyId, projectId, name } = study;
  const [email, setEmail] = useState('');
  const [way, setWay] = useState<'mail' | 'link'>('mail');
  const queryClient = useQueryClient();
  const body = { email: email.trim(), sendInviteEmail: way === 'mail' };
  const inviting = useMutation({
    mutationFn: () => api.upsertStudyMember({ projectId, studyId, body }),
    onSuccess: async ({ email: invited, entryUrl }) => {
      if (entryUrl === undefined) {
        say(`The way in is on its way to ${invited}`);
        onClose();
      }
      await queryClient.invalidateQueries(answersOf('listStudyMembers'));
    },
  });
  const { entryUrl, email: invited } = inviting.data ?? {};
  if (entryUrl !== undefined)
    return (
      <Once title={`The way in for ${invited}`} value={entryUrl} label="link" onClose={onClose}>
        {way === 'mail' && <p>This service sends no mail, so hand the link over yourself.</p>}
        <p>It lets {invited} in once, within seven days, and is not shown again.</p>
        <Note>Whoever has the link can use it. Send it to that person alone.</Note>
      </Once>
    );
  return (
    <FormDialog
      title={`Invite somebody to ${name}`}
      verb="Invite"
      busy={inviting.isPending}
      error={inviting.error}
      onClose={onClose}
      onSubmit={() => inviting.mutate()}
      same={<Same operation="upsertStudyMember" input={{ projectId, studyId, body }} />}
    >
      <Field label="E-mail" hint="Somebody who is invited already gets another way in.">
        <TextInput
          type="email"
          autoComplete="off"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </Field>
      <OneChoice legend="How they learn of it" choices={ways} chosen={way} onChange={setWay} />
    </FormDialog>
  );
}
