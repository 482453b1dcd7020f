import { useState } from 'react';
import { api, ask, type Output, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Choices } from '../../kit/choices.tsx';
import { LazyDialog } from '../../kit/dialog-button.tsx';
import { AreaField, TextField } from '../../kit/field.tsx';
import type { Schema } from '../../kit/form/schema.ts';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { rubricOf } from './journey/journey-body.ts';
import { problemsOf, RubricEditor } from './journey/rubric-editor.tsx';
import css from './swarms.module.css';

type Swarm = Output<'getSwarm'>;

/** Creates or edits a swarm. */
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
      <QueryState of={swarm} lines={4} />
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
  const saving = useSubmit(
    () =>
      swarm
        ? api.updateSwarm({ projectId, swarmId: swarm.id, body })
        : api.createSwarm({ projectId, body: created }),
    { says: (saved) => `Swarm ${saved.name} saved`, onDone: onClose },
  );
  const wrong = !isWithin(sessions, 100) || !isWithin(turns, 200) || problemsOf(criteria).size > 0;
  return (
    <FormDialog
      title={swarm ? `Edit ${swarm.name}` : 'New swarm'}
      verb={swarm ? 'Save changes' : 'Create swarm'}
      action={saving}
      blocked={body.name === '' || wrong}
      wide
      onClose={onClose}
      example={
        swarm ? (
          <ApiExample operation="updateSwarm" input={{ projectId, swarmId: swarm.id, body }} />
        ) : (
          <ApiExample operation="createSwarm" input={{ projectId, body: created }} />
        )
      }
    >
      <TextField label="Name" required maxLength={200} value={name} onChange={setName} />
      <AreaField
        label="Description"
        rows={2}
        maxLength={2000}
        value={description}
        onChange={setDescription}
      />
      <Choices
        legend="Default environments for journeys"
        none={environments.isPending ? '…' : 'This project has no active environments.'}
        choices={(environments.data?.items ?? []).map((one) => ({ value: one.id, name: one.name ?? one.id }))}
        chosen={environmentIds}
        onChange={setEnvironmentIds}
      />
      <div className={css.columns}>
        <TextField
          label="Sessions per target"
          problem={isWithin(sessions, 100) ? undefined : 'A whole number from 1 to 100'}
          inputMode="numeric"
          value={sessions}
          onChange={setSessions}
        />
        <TextField
          label="Maximum persona messages"
          problem={isWithin(turns, 200) ? undefined : 'A whole number from 1 to 200'}
          inputMode="numeric"
          value={turns}
          onChange={setTurns}
        />
      </div>
      <h3>Default rubric for journeys</h3>
      <RubricEditor criteria={criteria} onChange={setCriteria} />
    </FormDialog>
  );
}
