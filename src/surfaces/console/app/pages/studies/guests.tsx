import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { useMemberOnly } from '../../api/features.ts';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Note, Problem } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import css from './studies.module.css';
import { type Study, useStudiesChanged } from './study.ts';

const most = 1_000_000_000;

/** What those may do whom nobody knows. */
export function Guests({ study: { id: studyId, projectId, guestExecution } }: { study: Study }) {
  const memberOnly = useMemberOnly(projectId);
  const changed = useStudiesChanged();
  const [enabled, setEnabled] = useState(guestExecution?.enabled ?? false);
  const [skills, setSkills] = useState(guestExecution?.sharedSkillsEnabled ?? false);
  const [cap, setCap] = useState(String(guestExecution?.dailyCreditCap ?? 0));
  const dailyCreditCap = Number(cap);
  const wrong = cap.trim() === '' || !(dailyCreditCap >= 0 && dailyCreditCap <= most);
  // All of it is replaced, so what this form does not show goes along as it was.
  const body = guestExecution && { ...guestExecution, enabled, sharedSkillsEnabled: skills, dailyCreditCap };
  const input = body && { projectId, studyId, body };
  const saving = useMutation({
    mutationFn: async () => input && api.setStudyGuestExecution(input),
    onSuccess: async () => {
      say('Saved what guests may do');
      await changed();
    },
  });
  if (!input) return null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!wrong) saving.mutate();
  };
  return (
    <Section title="Guests" actions={!wrong && <Same operation="setStudyGuestExecution" input={input} />}>
      <form className={css.guests} onSubmit={submit} autoComplete="off">
        <Note>
          Guests are those who come by the link alone. This does not count for members and invited people.
        </Note>
        <Switch label="Guests may chat" checked={enabled} onChange={setEnabled} />
        <Switch label="They get the skills of the environment" checked={skills} onChange={setSkills} />
        <Field
          label="Credits that all guests together may spend in a day"
          hint="A credit is a cent. The day begins at midnight UTC; 0 lets nobody chat."
          problem={wrong ? `A number from 0 to ${most}` : undefined}
        >
          <TextInput
            className={css.number}
            inputMode="decimal"
            value={cap}
            onChange={({ target }) => setCap(target.value)}
          />
        </Field>
        {saving.isError && <Problem error={saving.error} />}
        <div className={css.line}>
          <Button type="submit" busy={saving.isPending} disabled={wrong || memberOnly}>
            Save for guests
          </Button>
          {memberOnly && <Note>Administrators of the project decide this.</Note>}
        </div>
      </form>
    </Section>
  );
}
