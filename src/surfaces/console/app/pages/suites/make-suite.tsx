import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Choices } from '../../kit/choices.tsx';
import { classes } from '../../kit/classes.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, Select, TextArea, TextInput } from '../../kit/field.tsx';
import { Problem } from '../../kit/notice.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import css from './suites.module.css';

/** A suite with its first case; more are added on its page. */
export function MakeSuite({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
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
  const making = useMutation({
    mutationFn: () => api.createEvalSuite({ projectId, body }),
    onSuccess: async ({ suiteId }) => {
      say('Suite made');
      await queryClient.invalidateQueries(answersOf('listEvalSuites'));
      await navigate({ to: '/projects/$projectId/suites/$suiteId', params: { projectId, suiteId } });
    },
  });
  const complete = name.trim() !== '' && prompt.trim() !== '' && serverIds.length > 0;
  return (
    <Dialog onClose={onClose} title="New suite">
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate();
        }}
      >
        <Field label="Name" needed>
          <TextInput maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Choices
          legend="Servers"
          choices={usable.map(({ id, name: serverName }) => ({ value: id, name: serverName }))}
          chosen={serverIds}
          onChange={setChosen}
          none={servers.isSuccess ? 'The project has no server yet. Add one first.' : '…'}
        />
        <Field label="Model">
          <Select
            value={model}
            onChange={(event) => setModel(event.target.value)}
            options={(models.data?.items ?? [{ id: model, offline: true }]).map(
              ({ id, offline }) => [id, offline ? `${id} (offline, no key needed)` : id] as const,
            )}
          />
        </Field>
        <Field label="What a user says in the first case" needed>
          <TextArea rows={3} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
        </Field>
        <Field label="Trials of each case" hint="80 % of them have to pass; both can be changed later.">
          <Select
            value={trials}
            onChange={(event) => setTrials(event.target.value)}
            options={['1', '3', '5', '10'].map((one) => [one, one] as const)}
          />
        </Field>
        {making.isError && <Problem error={making.error} />}
        <div className={classes(css.actions, css.right)}>
          <Same operation="createEvalSuite" input={{ projectId, body }} />
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" busy={making.isPending} disabled={!complete}>
            Make suite
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
