import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Choices } from '../../kit/choices.tsx';
import { AreaField, SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';

/** Creates a suite with its first case; more are added on its page. */
export function MakeSuite({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const navigate = useNavigate();
  const servers = useQuery(ask('listProjectServers', { projectId }));
  const models = useQuery(ask('listModels', {}));
  const [name, setName] = useState('');
  const [prompt, setPrompt] = useState('');
  const [model, setModel] = useState('drydock/rehearsal');
  const [chosen, setChosen] = useState<string[]>();
  const [trials, setTrials] = useState('5');
  const usable = servers.data?.items.filter(({ enabled }) => enabled) ?? [];
  const serverIds = chosen ?? usable.slice(0, 1).map(({ id }) => id);
  const body = {
    name: name.trim(),
    serverIds,
    model,
    repetitions: Number(trials),
    passThreshold: 0.8,
    tests: [
      {
        title: prompt.trim().slice(0, 80) || 'First case',
        steps: [{ id: '1', kind: 'prompt' as const, prompt }],
      },
    ],
  };
  const making = useSubmit(() => api.createEvalSuite({ projectId, body }), {
    says: 'Suite created',
    onDone: ({ suiteId }) =>
      navigate({ to: '/projects/$projectId/suites/$suiteId', params: { projectId, suiteId } }),
  });
  const complete = name.trim() !== '' && prompt.trim() !== '' && serverIds.length > 0;
  return (
    <FormDialog
      title="New suite"
      verb="Create suite"
      action={making}
      blocked={!complete}
      onClose={onClose}
      example={<ApiExample operation="createEvalSuite" input={{ projectId, body }} />}
    >
      <TextField label="Name" required maxLength={200} value={name} onChange={setName} />
      <Choices
        legend="Servers"
        choices={usable.map(({ id, name: serverName }) => ({ value: id, name: serverName }))}
        chosen={serverIds}
        onChange={setChosen}
        none={servers.isSuccess ? 'No enabled servers. Add or resume one first.' : '…'}
      />
      <SelectField
        label="Model"
        value={model}
        options={(models.data?.items ?? [{ id: model, offline: true }]).map(
          ({ id, offline }) => [id, offline ? `${id} (offline, no key needed)` : id] as const,
        )}
        onChange={setModel}
      />
      <AreaField label="First user message" required rows={3} value={prompt} onChange={setPrompt} />
      <SelectField
        label="Trials per case"
        hint="A case passes if at least 80% of its trials pass. Both values can be changed later."
        value={trials}
        options={['1', '3', '5', '10'].map((one) => [one, one] as const)}
        onChange={setTrials}
      />
    </FormDialog>
  );
}
