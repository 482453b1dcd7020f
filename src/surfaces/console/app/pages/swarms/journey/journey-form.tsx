import { type ReactNode, useState } from 'react';
import { api, ask, maxPageSize, useQuery, useSubmit } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { Switch } from '../../../kit/choices.tsx';
import { AreaField, SelectField, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { Note } from '../../../kit/notice.tsx';
import { plain } from '../../../kit/text.ts';
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
import type { Journey } from './journey-labels.ts';
import { problemsOf, RubricEditor } from './rubric-editor.tsx';
import { TargetFields } from './target-fields.tsx';

interface Fields {
  draft: JourneyDraft;
  problems: Problems;
  set: (changed: Partial<JourneyDraft>) => void;
}

/** Creates or edits a journey. */
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
  const personas = useQuery({ ...ask('listPersonas', { projectId, limit: maxPageSize }), enabled: !journey });
  const swarms = useQuery({ ...ask('listSwarms', { projectId, limit: maxPageSize }), enabled: !journey });
  const draft = { ...typed, personaId: typed.personaId || (personas.data?.items[0]?.id ?? '') };
  const update = journey && updateBody(before, draft);
  const saving = useSubmit(
    () =>
      journey && update
        ? api.updateJourney({ projectId, journeyId: journey.id, body: update })
        : api.createJourney({ projectId, body: createBody(draft) }),
    {
      says: (saved) => `Journey ${saved.name} saved`,
      onDone: (saved) => {
        onClose();
        onSaved?.(saved.id);
      },
    },
  );
  const problems = problemsIn(draft);
  const fields: Fields = { draft, problems, set: (changed) => setTyped({ ...draft, ...changed }) };
  const wrong = Object.keys(problems).length > 0 || problemsOf(draft.criteria).size > 0;
  const same = update !== undefined && Object.keys(update).length === 0;
  const noPersona = personas.isSuccess && personas.data.items.length === 0;
  return (
    <FormDialog
      title={journey ? `Edit ${journey.name}` : 'New journey'}
      verb={journey ? 'Save changes' : 'Create journey'}
      action={saving}
      error={personas.error}
      blocked={draft.goal.trim() === '' || draft.personaId === '' || wrong || same}
      wide
      onClose={onClose}
      example={
        journey && update ? (
          <ApiExample operation="updateJourney" input={{ projectId, journeyId: journey.id, body: update }} />
        ) : (
          <ApiExample operation="createJourney" input={{ projectId, body: createBody(draft) }} />
        )
      }
    >
      {noPersona && <Note>This project has no personas. Create one first, or let a model draft some.</Note>}
      {!journey && (
        <div className={css.columns}>
          <SelectField
            label="Persona"
            required
            hint="The persona that takes this journey."
            value={draft.personaId}
            options={(personas.data?.items ?? []).map(
              ({ id, name, role }) => [id, plain(`${name}, ${role}`)] as const,
            )}
            onChange={(value) => fields.set({ personaId: value })}
          />
          <SelectField
            label="Swarm"
            hint="Supplies default environments and rubric."
            value={draft.swarmId}
            options={[
              ['', 'None'],
              ...(swarms.data?.items ?? []).map(({ id, name }) => [id, plain(name)] as const),
            ]}
            onChange={(value) => fields.set({ swarmId: value })}
          />
        </div>
      )}
      <AreaField
        label="Goal"
        required
        hint="In the persona's own words."
        rows={3}
        maxLength={4000}
        value={draft.goal}
        onChange={(text) => fields.set({ goal: text })}
      />
      <TextField
        label="Name"
        hint={journey ? undefined : 'Default: the beginning of the goal.'}
        maxLength={200}
        value={draft.name}
        onChange={(text) => fields.set({ name: text })}
      />
      <TargetFields projectId={projectId} draft={draft} set={fields.set} />
      <div className={css.columns}>
        <NumberField
          {...fields}
          field="sessionsPerTarget"
          label="Sessions per target"
          hint="A target is an environment, or a client with servers."
        />
        <NumberField {...fields} field="maxTurns" label="Maximum persona messages" />
        <NumberField {...fields} field="passThreshold" label="Required pass rate per target, in percent" />
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
    <TextField
      label={label}
      hint={hint}
      problem={problems[field]}
      inputMode="decimal"
      value={draft[field]}
      aria-invalid={problems[field] !== undefined}
      onChange={(text) => set({ [field]: text })}
    />
  );
}

function JudgeFields(fields: Fields) {
  const { draft, set } = fields;
  const models = useQuery(ask('listModels', {}));
  return (
    <>
      <Switch
        label="Judge whether each session reached the goal"
        checked={draft.judged}
        onChange={(judged) => set({ judged })}
      />
      {draft.judged && (
        <div className={css.columns}>
          <NumberField {...fields} field="judgeThreshold" label="Goal threshold, in percent" />
          <SelectField
            label="Judge model"
            value={draft.judgeModel}
            options={[
              ['', 'Installation default'],
              ...(models.data?.items ?? [])
                .filter(({ hosted, id }) => hosted || id === draft.judgeModel)
                .map(({ id }) => [id, id] as const),
            ]}
            onChange={(value) => set({ judgeModel: value })}
          />
        </div>
      )}
    </>
  );
}
