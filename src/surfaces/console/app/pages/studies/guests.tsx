import { useState } from 'react';
import { useMemberOnly } from '../../api/features.ts';
import { api, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import { submits, TextField } from '../../kit/field.tsx';
import { SubmitError } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import css from './studies.module.css';
import type { Study } from './study.ts';

const maxCredits = 1_000_000_000;

export function Guests({ study: { id: studyId, projectId, guestExecution } }: { study: Study }) {
  const memberOnly = useMemberOnly(projectId);
  const [enabled, setEnabled] = useState(guestExecution?.enabled ?? false);
  const [skills, setSkills] = useState(guestExecution?.sharedSkillsEnabled ?? false);
  const [cap, setCap] = useState(String(guestExecution?.dailyCreditCap ?? 0));
  const dailyCreditCap = Number(cap);
  const wrong = cap.trim() === '' || !(dailyCreditCap >= 0 && dailyCreditCap <= maxCredits);
  // The API replaces all guest settings, so fields not shown here are sent unchanged.
  const body = guestExecution && { ...guestExecution, enabled, sharedSkillsEnabled: skills, dailyCreditCap };
  const input = body && { projectId, studyId, body };
  const saving = useSubmit(async () => input && api.setStudyGuestExecution(input), {
    says: 'Guest settings saved',
  });
  if (!input) return null;
  return (
    <Section
      title="Guests"
      actions={!wrong && <ApiExample operation="setStudyGuestExecution" input={input} />}
    >
      <form className={css.guests} onSubmit={submits(() => saving.mutate())} autoComplete="off">
        <Note>
          Guests enter with the link only. These settings do not apply to members and invited people.
        </Note>
        <Switch label="Guests can chat" checked={enabled} onChange={setEnabled} />
        <Switch label="Guests get the environment's skills" checked={skills} onChange={setSkills} />
        <TextField
          label="Daily credit limit for all guests"
          hint="One credit is one US cent. Resets at midnight UTC. 0 disables chat."
          problem={wrong ? `A number from 0 to ${maxCredits}` : undefined}
          className={css.number}
          inputMode="decimal"
          value={cap}
          onChange={setCap}
        />
        <SubmitError of={saving} />
        <div className={css.line}>
          <Button type="submit" busy={saving.isPending} disabled={wrong || memberOnly}>
            Save guest settings
          </Button>
          {memberOnly && <Note>Only project administrators can change this.</Note>}
        </div>
      </form>
    </Section>
  );
}
