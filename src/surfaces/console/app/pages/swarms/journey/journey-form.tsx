import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answersOf, ask } from '../../../api/ask.ts';
import { api } from '../../../api/client.ts';
import { Switch } from '../../../kit/choices.tsx';
import { Field, Select, TextArea, TextInput } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { Note } from '../../../kit/notice.tsx';
import { plain } from '../../../kit/text.ts';
import { say } from '../../../kit/toast.tsx';
import { Same } from '../../../same/same.tsx';
import { lookedUp } from '../names.ts';
import css from '../swarms.module.css';
import {
  createBody,
  draftOf,
  type JourneyDraft,
  newJourney,
  type Problems,
  problemsIn,
  updateBody,
} from './journey-body.ts';
import type { Journey } from './journey-words.ts';
import { problemsOf, RubricEditor } from './rubric-editor.tsx';
import { TargetFields } from './target-fields.tsx';

interface Fields {
  draft: JourneyDraft;
  problems: Problems;
  set: (changed: Partial<JourneyDraft>) => void;
}

/** Makes a journey, or changes one. */
export function JourneyForm({
  projectId,
  journey,
  onClose,
  onSaved,
}: {
  projectId: string;
  journey?: Journey;
  onClose: () => void;
  onSaved?: (journeyId: string) => void;
}) {
  const before = journey ? draftOf(journey) : newJourney;
  const [typed, setTyped] = useState(before);
  const personas = useQuery({ ...ask('listPersonas', { projectId, limit: lookedUp }), enabled: !journey });
  const swarms = useQuery({ ...ask('listSwarms', { projectId, limit: lookedUp }), enabled: !journey });
  const queryClient = useQueryClient();
  const draft = { ...typed, personaId: typed.personaId || (personas.data?.items[0]?.id ?? '') };
  const update = journey && updateBody(before, draft);
  const saving = useMutation({
    mutationFn: () =>
      journey && update
        ? api.updateJourney({ projectId, journeyId: journey.id, body: update })
        : api.createJourney({ projectId, body: createBody(draft) }),
    onSuccess: async (saved) => {
      say(`Journey ${saved.name} saved`);
      for (const id of ['listJourneys', 'getJourney'] as const)
        await queryClient.invalidateQueries(answersOf(id));
      onClose();
      onSaved?.(saved.id);
    },
  });
  const problems = problemsIn(draft);
  const fields: Fields = { draft, problems, set: (changed) => setTyped({ ...draft, ...changed }) };
  const wrong = Object.keys(problems).length > 0 || problemsOf(draft.criteria).size > 0;
  const same = update !== undefined && Object.keys(update).length === 0;
  const noPersona = personas.isSuccess && personas.data.items.length === 0;
  return (
    <FormDialog
      title={journey ? `Edit ${journey.name}` : 'New journey'}
      verb={journey ? 'Save changes' : 'Create journey'}
      busy={saving.isPending}
      error={saving.error ?? personas.error}
      blocked={draft.goal.trim() === '' || draft.personaId === '' || wrong || same}
      wide
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={
        journey && update ? (
          <Same operation="updateJourney" input={{ projectId, journeyId: journey.id, body: update }} />
        ) : (
          <Same operation="createJourney" input={{ projectId, body: createBody(draft) }} />
        )
      }
    >
      {noPersona && <Note>The project has no persona yet. Create one first, or have some drafted.</Note>}
      {!journey && (
        <div className={css.columns}>
          <Field label="Persona" needed hint="Who goes on this journey.">
            <Select
              value={draft.personaId}
              onChange={({ target }) => fields.set({ personaId: target.value })}
              options={(personas.data?.items ?? []).map(
                ({ id, name, role }) => [id, plain(`${name}, ${role}`)] as const,
              )}
            />
          </Field>
          <Field label="Swarm" hint="Gives it environments and a rubric where it has none.">
            <Select
              value={draft.swarmId}
              onChange={({ target }) => fields.set({ swarmId: target.value })}
              options={[
                ['', 'None'],
                ...(swarms.data?.items ?? []).map(({ id, name }) => [id, plain(name)] as const),
              ]}
            />
          </Field>
        </div>
      )}
      <Field label="Goal" needed hint="In the words of somebody who wants it.">
        <TextArea
          rows={3}
          maxLength={4000}
          value={draft.goal}
          onChange={({ target }) => fields.set({ goal: target.value })}
        />
      </Field>
      <Field label="Name" hint={journey ? undefined : 'Left empty, the beginning of the goal.'}>
        <TextInput
          maxLength={200}
          value={draft.name}
          onChange={({ target }) => fields.set({ name: target.value })}
        />
      </Field>
      <TargetFields projectId={projectId} draft={draft} set={fields.set} />
      <div className={css.columns}>
        <NumberField {...fields} field="sessionsPerTarget" label="Sessions with each target" />
        <NumberField {...fields} field="maxTurns" label="Messages of the persona, at most" />
        <NumberField
          {...fields}
          field="passThreshold"
          label="Sessions of a target that have to pass, in percent"
        />
      </div>
      <JudgeFields {...fields} />
      <h3>Rubric</h3>
      <RubricEditor criteria={draft.criteria} onChange={(criteria) => fields.set({ criteria })} />
    </FormDialog>
  );
}

function NumberField({
  draft,
  problems,
  set,
  field,
  label,
  hint,
}: Fields & {
  field: 'sessionsPerTarget' | 'maxTurns' | 'passThreshold' | 'judgeThreshold';
  label: string;
  hint?: ReactNode;
}) {
  return (
    <Field label={label} hint={hint} problem={problems[field]}>
      <TextInput
        inputMode="decimal"
        value={draft[field]}
        aria-invalid={problems[field] !== undefined}
        onChange={({ target }) => set({ [field]: target.value })}
      />
    </Field>
  );
}

function JudgeFields(fields: Fields) {
  const { draft, set } = fields;
  const models = useQuery(ask('listModels', {}));
  return (
    <>
      <Switch
        label="A judge says of each session whether the goal was reached"
        checked={draft.judged}
        onChange={(judged) => set({ judged })}
      />
      {draft.judged && (
        <div className={css.columns}>
          <NumberField {...fields} field="judgeThreshold" label="Reached from a score of, in percent" />
          <Field label="Model of the judge">
            <Select
              value={draft.judgeModel}
              onChange={({ target }) => set({ judgeModel: target.value })}
              options={[
                ['', 'That of the deployment'],
                ...(models.data?.items ?? [])
                  .filter(({ hosted, id }) => hosted || id === draft.judgeModel)
                  .map(({ id }) => [id, id] as const),
              ]}
            />
          </Field>
        </div>
      )}
    </>
  );
}
