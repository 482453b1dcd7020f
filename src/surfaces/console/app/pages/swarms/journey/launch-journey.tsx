import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf } from '../../../api/ask.ts';
import { api } from '../../../api/client.ts';
import { Button } from '../../../kit/button.tsx';
import { Field, TextInput } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { Note } from '../../../kit/notice.tsx';
import { counted } from '../../../kit/numbers.ts';
import { say } from '../../../kit/toast.tsx';
import { Same } from '../../../same/same.tsx';
import type { Journey } from './journey-words.ts';

export function LaunchJourney({ journey }: { journey: Journey }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button look="primary" onClick={() => setAsking(true)}>
        Launch
      </Button>
      {asking && <LaunchDialog journey={journey} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Says what begins. One dialog is one launch: pressed again after an answer that got lost, it is the same run. */
function LaunchDialog({ journey, onClose }: { journey: Journey; onClose: () => void }) {
  const { id: journeyId, projectId, environmentIds, hostIds, sessionsPerTarget, maxTurns, name } = journey;
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [waveId, setWaveId] = useState('');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const body = waveId.trim() === '' ? {} : { waveId: waveId.trim() };
  const launching = useMutation({
    mutationFn: () => api.launchJourneyRun({ projectId, journeyId, body }, { idempotencyKey }),
    onSuccess: async ({ id: journeyRunId }) => {
      say('Journey launched');
      for (const id of ['listJourneyRuns', 'getSwarmOverview'] as const)
        void queryClient.invalidateQueries(answersOf(id));
      await navigate({
        to: '/projects/$projectId/swarms/runs/$journeyRunId',
        params: { projectId, journeyRunId },
      });
    },
  });
  const targets = environmentIds.length || hostIds.length;
  return (
    <FormDialog
      title={`Launch ${name}`}
      verb="Launch journey"
      busy={launching.isPending}
      error={launching.error}
      onClose={onClose}
      onSubmit={() => launching.mutate()}
      same={<Same operation="launchJourneyRun" input={{ projectId, journeyId, body }} />}
    >
      <Note>
        {targets === 0 || sessionsPerTarget === null
          ? 'Sessions begin with the targets of its swarm.'
          : `${counted(targets * sessionsPerTarget, 'session')} with ${counted(targets, 'target')}`}
        {maxTurns !== null && `, each of at most ${counted(maxTurns, 'message')}`}. A model plays the persona,
        the agent of each target answers.
      </Note>
      <Field label="Wave" hint="Runs with the same one belong together. Left empty, the run is its own wave.">
        <TextInput
          maxLength={64}
          pattern="[A-Za-z0-9_\-]*"
          value={waveId}
          onChange={({ target }) => setWaveId(target.value)}
        />
      </Field>
    </FormDialog>
  );
}
