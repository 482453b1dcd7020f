import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Choices } from '../../kit/choices.tsx';
import { Field, TextArea, TextInput } from '../../kit/field.tsx';
import type { Schema } from '../../kit/form/schema.ts';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { LazyDialog } from '../../kit/lazy-dialog.tsx';
import { Problem, Skeleton } from '../../kit/notice.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { rubricOf } from './journey/journey-body.ts';
import { problemsOf, RubricEditor } from './journey/rubric-editor.tsx';
import css from './swarms.module.css';

type Swarm = Output<'getSwarm'>;

/** Makes a swarm, or changes one. */
export function SwarmForm({
  projectId,
  swarmId,
  onClose,
}: {
  projectId: string;
  swarmId?: string;
  onClose: () => void;
}) {
  const swarm = useQuery({
    ...ask('getSwarm', { projectId, swarmId: swarmId ?? '' }),
    enabled: swarmId !== undefined,
  });
  if (swarmId === undefined) return <Fields projectId={projectId} onClose={onClose} />;
  if (swarm.data)
    return <Fields key={swarm.data.updatedAt} projectId={projectId} swarm={swarm.data} onClose={onClose} />;
  return (
    <LazyDialog onClose={onClose} title="Swarm">
      {swarm.isError ? (
        <Problem error={swarm.error} retry={() => void swarm.refetch()} />
      ) : (
        <Skeleton lines={4} />
      )}
    </LazyDialog>
  );
}

function isWithin(text: string, most: number): boolean {
  return Number.isInteger(Number(text)) && Number(text) >= 1 && Number(text) <= most;
}

function Fields({ projectId, swarm, onClose }: { projectId: string; swarm?: Swarm; onClose: () => void }) {
  const [name, setName] = useState(swarm?.name ?? '');
  const [description, setDescription] = useState(swarm?.description ?? '');
  const [environmentIds, setEnvironmentIds] = useState(swarm?.environmentIds ?? []);
  const [sessions, setSessions] = useState(String(swarm?.sessionsPerTarget ?? 3));
  const [turns, setTurns] = useState(String(swarm?.maxTurns ?? 6));
  const [criteria, setCriteria] = useState((swarm?.rubric?.criteria ?? []) as unknown as Schema[]);
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const queryClient = useQueryClient();
  const cleared = swarm ? null : undefined;
  const body = {
    name: name.trim(),
    description: description.trim() === '' ? cleared : description.trim(),
    environmentIds: environmentIds.length === 0 ? cleared : environmentIds,
    iterations: Number(sessions),
    maxTurns: Number(turns),
    rubric: criteria.length === 0 ? cleared : rubricOf(criteria),
  };
  const created = {
    ...body,
    description: body.description ?? undefined,
    environmentIds: body.environmentIds ?? undefined,
    rubric: body.rubric ?? undefined,
  };
  const saving = useMutation({
    mutationFn: () =>
      swarm
        ? api.updateSwarm({ projectId, swarmId: swarm.id, body })
        : api.createSwarm({ projectId, body: created }),
    onSuccess: async (saved) => {
      say(`Swarm ${saved.name} saved`);
      onClose();
      for (const id of ['listSwarms', 'getSwarm'] as const)
        await queryClient.invalidateQueries(answersOf(id));
    },
  });
  const wrong = !isWithin(sessions, 100) || !isWithin(turns, 200) || problemsOf(criteria).size > 0;
  return (
    <FormDialog
      title={swarm ? `Edit ${swarm.name}` : 'New swarm'}
      verb={swarm ? 'Save changes' : 'Create swarm'}
      busy={saving.isPending}
      error={saving.error}
      blocked={body.name === '' || wrong}
      wide
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={
        swarm ? (
          <Same operation="updateSwarm" input={{ projectId, swarmId: swarm.id, body }} />
        ) : (
          <Same operation="createSwarm" input={{ projectId, body: created }} />
        )
      }
    >
      <Field label="Name" needed>
        <TextInput maxLength={200} value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field label="Description">
        <TextArea
          rows={2}
          maxLength={2000}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
      </Field>
      <Choices
        legend="Environments, for journeys that name none"
        none={environments.isPending ? '…' : 'The project has no environment yet.'}
        choices={(environments.data?.items ?? []).map((one) => ({ value: one.id, name: one.name ?? one.id }))}
        chosen={environmentIds}
        onChange={setEnvironmentIds}
      />
      <div className={css.columns}>
        <Field
          label="Sessions with each target"
          problem={isWithin(sessions, 100) ? undefined : 'A whole number from 1 to 100'}
        >
          <TextInput
            inputMode="numeric"
            value={sessions}
            onChange={({ target }) => setSessions(target.value)}
          />
        </Field>
        <Field
          label="Messages of the persona, at most"
          problem={isWithin(turns, 200) ? undefined : 'A whole number from 1 to 200'}
        >
          <TextInput inputMode="numeric" value={turns} onChange={({ target }) => setTurns(target.value)} />
        </Field>
      </div>
      <h3>Rubric, for journeys that have none</h3>
      <RubricEditor criteria={criteria} onChange={setCriteria} />
    </FormDialog>
  );
}
