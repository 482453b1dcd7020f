import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Choices, Switch } from '../../kit/choices.tsx';
import { Field, Select, TextArea, TextInput } from '../../kit/field.tsx';
import { Problem } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { baselineNames, bodyOf, type Draft, draftOf, hasFields, problemsIn } from './settings-body.ts';
import { SuiteChanges } from './suite-changes.tsx';
import type { Suite } from './suite-words.ts';
import css from './suites.module.css';

/** A suite that was changed meanwhile, here or elsewhere, is filled in anew. */
export function SettingsTab({ suite }: { suite: Suite }) {
  return (
    <>
      <SettingsForm key={suite.revisionNumber} suite={suite} />
      <SuiteChanges which={{ projectId: suite.projectId, suiteId: suite.id }} />
    </>
  );
}

interface Fields {
  suite: Suite;
  draft: Draft;
  problems: ReturnType<typeof problemsIn>;
  set: (changes: Partial<Draft>) => void;
}

function SettingsForm({ suite }: { suite: Suite }) {
  const { projectId, id: suiteId, revisionNumber } = suite;
  const [draft, setDraft] = useState(() => draftOf(suite));
  const queryClient = useQueryClient();
  const set = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));
  const problems = problemsIn(draft, draftOf(suite));
  const changes = bodyOf(suite, draft);
  const input = { projectId, suiteId, body: { expectedRevisionNumber: revisionNumber, ...changes } };
  const saving = useMutation({
    mutationFn: () => api.updateEvalSuite(input),
    onSuccess: async () => {
      say('Settings saved');
      await Promise.all(
        (['getEvalSuite', 'listEvalSuites', 'listEvalSuiteRevisions'] as const).map((id) =>
          queryClient.invalidateQueries(answersOf(id)),
        ),
      );
    },
  });
  const fields: Fields = { suite, draft, problems, set };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <fieldset className={css.bare} disabled={suite.managedBy === 'ci'}>
        <legend className="visually-hidden">Settings of the suite</legend>
        <About {...fields} />
        <Passing {...fields} />
        <Gate {...fields} />
        <Judge {...fields} />
        {saving.isError && <Problem error={saving.error} />}
        <div className={css.actions}>
          <Button
            type="submit"
            look="primary"
            busy={saving.isPending}
            disabled={!hasFields(changes) || hasFields(problems)}
          >
            Save settings
          </Button>
          {hasFields(changes) && <Button onClick={() => setDraft(draftOf(suite))}>Undo changes</Button>}
          <Same operation="updateEvalSuite" input={input} />
        </div>
      </fieldset>
    </form>
  );
}

function About(fields: Fields) {
  const { suite, draft, set } = fields;
  const servers = useQuery(ask('listProjectServers', { projectId: suite.projectId }));
  const names = new Set([...draft.servers, ...(servers.data?.items.map(({ name }) => name) ?? [])]);
  return (
    <Section title="What is tried">
      <div className={css.form}>
        <TextField {...fields} field="name" label="Name" needed />
        <Field label="Description">
          <TextArea
            rows={2}
            maxLength={5000}
            value={draft.description}
            onChange={(event) => set({ description: event.target.value })}
          />
        </Field>
        <Choices
          legend="Servers"
          choices={[...names].map((name) => ({ value: name, name }))}
          chosen={draft.servers}
          onChange={(chosen) => set({ servers: chosen })}
          none="The project has no server yet."
        />
        <Model label="Model" value={draft.model} onChange={(model) => set({ model })} />
        <Field label="Instructions to the model" hint="Left empty, it gets none.">
          <TextArea
            rows={3}
            value={draft.systemPrompt}
            onChange={(event) => set({ systemPrompt: event.target.value })}
          />
        </Field>
        <TextField
          {...fields}
          field="temperature"
          label="Temperature"
          hint="Left empty, the provider decides."
          inputMode="decimal"
        />
      </div>
    </Section>
  );
}

function Passing(fields: Fields) {
  const { suite } = fields;
  if (suite.settings.policy === 'legacy')
    return (
      <Section title="What passes">
        <div className={css.form}>
          <TextField
            {...fields}
            field="accuracy"
            label="Share of all trials that has to pass, in percent"
            inputMode="decimal"
          />
        </div>
      </Section>
    );
  return (
    <Section title="What passes">
      <div className={css.form}>
        <TextField {...fields} field="trials" label="Trials of each case" inputMode="numeric" />
        <TextField
          {...fields}
          field="threshold"
          label="Share of them that has to pass, in percent"
          hint="A case may ask for something else."
          inputMode="decimal"
        />
      </div>
    </Section>
  );
}

function Gate(fields: Fields) {
  const { draft, set } = fields;
  return (
    <Section title="Quality gate">
      <div className={css.form}>
        <p className={css.description}>
          What a run is held against besides its verdict. A condition that is left empty is not looked at.
        </p>
        <TextField
          {...fields}
          field="drop"
          label="The pass rate falls by at most, in percent"
          inputMode="decimal"
        />
        <TextField
          {...fields}
          field="slowerMs"
          label="The 95th percentile of latency grows by at most, in milliseconds"
          inputMode="decimal"
        />
        <Switch
          label="No check that passed fails, where no model judges"
          checked={draft.noRegressions}
          onChange={(noRegressions) => set({ noRegressions })}
        />
        <Switch
          label="No score that decides is missing for an error"
          checked={draft.noScoreErrors}
          onChange={(noScoreErrors) => set({ noScoreErrors })}
        />
        <Field label="Compared with">
          <Select
            value={draft.against}
            onChange={(event) => set({ against: event.target.value as Draft['against'], baseline: '' })}
            options={[
              ['before', 'The run before'],
              ['branch', 'The last run on a branch'],
              ['run', 'One run'],
              ['commit', 'The runs of a commit'],
              ...(draft.against === 'none' ? ([['none', 'Not set']] as const) : []),
            ]}
          />
        </Field>
        {draft.against !== 'before' && draft.against !== 'none' && (
          <TextField {...fields} field="baseline" label={baselineNames[draft.against]} needed />
        )}
      </div>
    </Section>
  );
}

function Judge({ draft, set }: Fields) {
  return (
    <Section title="Judge">
      <div className={css.form}>
        <Switch
          label="A model judges the trials"
          checked={draft.judged}
          onChange={(judged) => set({ judged })}
        />
        {draft.judged && (
          <>
            <Model
              label="Model that judges"
              value={draft.judgeModel}
              onChange={(judgeModel) => set({ judgeModel })}
            />
            <Switch
              label="After each run, by itself"
              checked={draft.judgesByItself}
              onChange={(judgesByItself) => set({ judgesByItself })}
            />
          </>
        )}
      </div>
    </Section>
  );
}

type TextName = { [Name in keyof Draft]: Draft[Name] extends string ? Name : never }[keyof Draft];

/** A line of text of the draft, with what is wrong with it. */
function TextField({
  draft,
  problems,
  set,
  field,
  label,
  hint,
  needed = false,
  inputMode,
}: Fields & {
  field: TextName;
  label: string;
  hint?: string;
  needed?: boolean;
  inputMode?: 'decimal' | 'numeric';
}) {
  return (
    <Field label={label} hint={hint} needed={needed} problem={problems[field]}>
      <TextInput
        inputMode={inputMode}
        value={draft[field]}
        onChange={(event) => set({ [field]: event.target.value })}
      />
    </Field>
  );
}

function Model({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (model: string) => void;
}) {
  const models = useQuery(ask('listModels', {}));
  const ids = new Set([value, ...(models.data?.items.map(({ id }) => id) ?? [])]);
  return (
    <Field label={label}>
      <Select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        options={[...ids].map((id) => [id, id === '' ? 'The usual one' : id] as const)}
      />
    </Field>
  );
}
