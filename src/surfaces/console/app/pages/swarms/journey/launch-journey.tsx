import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, useSubmit } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { DialogButton } from '../../../kit/dialog-button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { newKey } from '../../../kit/new-key.ts';
import { Note } from '../../../kit/notice.tsx';
import { counted } from '../../../kit/numbers.ts';
import type { Journey } from './journey-labels.ts';

export function LaunchJourney({ journey }: { journey: Journey }) {
  return (
    <DialogButton
      variant="primary"
      renderDialog={(close) => <LaunchDialog journey={journey} onClose={close} />}
    >
      Launch
    </DialogButton>
  );
}

/** Confirms a launch. Each dialog has one idempotency key, so that a retry does not start a second run. */
function LaunchDialog({ journey, onClose }: { journey: Journey; onClose: () => void }) {
  const { id: journeyId, projectId, environmentIds, hostIds, sessionsPerTarget, maxTurns, name } = journey;
  const [idempotencyKey] = useState(() => newKey());
  const [waveId, setWaveId] = useState('');
  const navigate = useNavigate();
  const body = waveId.trim() === '' ? {} : { waveId: waveId.trim() };
  const launching = useSubmit(
    () => api.launchJourneyRun({ projectId, journeyId, body }, { idempotencyKey }),
    {
      says: 'Journey launched',
      onDone: ({ id: journeyRunId }) =>
        navigate({
          to: '/projects/$projectId/swarms/runs/$journeyRunId',
          params: { projectId, journeyRunId },
        }),
    },
  );
  const targets = environmentIds.length || hostIds.length;
  return (
    <FormDialog
      title={`Launch ${name}`}
      verb="Launch journey"
      action={launching}
      onClose={onClose}
      example={<ApiExample operation="launchJourneyRun" input={{ projectId, journeyId, body }} />}
    >
      <Note>
        {targets === 0 || sessionsPerTarget === null
          ? 'Sessions start with the targets of the swarm.'
          : `${counted(targets * sessionsPerTarget, 'session')} with ${counted(targets, 'target')}`}
        {maxTurns !== null && `, each up to ${counted(maxTurns, 'persona message')}`}. A model plays the
        persona; each target's agent answers.
      </Note>
      <TextField
        label="Wave ID"
        hint="Runs with the same ID form one wave. Default: a new wave."
        maxLength={64}
        pattern="[A-Za-z0-9_\-]*"
        value={waveId}
        onChange={setWaveId}
      />
    </FormDialog>
  );
}
