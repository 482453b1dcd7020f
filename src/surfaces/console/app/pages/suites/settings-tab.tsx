import { useState } from 'react';
import { api, ask, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Choices, Switch } from '../../kit/choices.tsx';
import common from '../../kit/common.module.css';
import { AreaField, SelectField, submits, TextField } from '../../kit/field.tsx';
import { SubmitError } from '../../kit/form-dialog.tsx';
import { Section } from '../../kit/page.tsx';
import { baselineNames, bodyOf, type Draft, draftOf, hasFields, problemsIn } from './settings-body.ts';
import { SuiteChanges } from './suite-changes.tsx';
import type { Suite } from './suite-labels.ts';
import css from './suites.module.css';

/** Resets the form when the suite is changed, here or elsewhere. */
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
  const set = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));
  const problems = problemsIn(draft, draftOf(suite));
  const changes = bodyOf(suite, draft);
  const input = { projectId, suiteId, body: { expectedRevisionNumber: revisionNumber, ...changes } };
  const saving = useSubmit(() => api.updateEvalSuite(input), { says: 'Settings saved' });
  const fields: Fields = { suite, draft, problems, set };
  return (
    <form onSubmit={submits(() => saving.mutate())}>
      <fieldset className={css.bare} disabled={suite.managedBy === 'ci'}>
        <legend className="visually-hidden">Suite settings</legend>
        <About {...fields} />
        <PassCriteria {...fields} />
        <Gate {...fields} />
        <Judge {...fields} />
        <SubmitError of={saving} />
        <div className={common.row}>
          <Button
            type="submit"
            variant="primary"
            busy={saving.isPending}
            disabled={!hasFields(changes) || hasFields(problems)}
          >
            Save settings
          </Button>
          {hasFields(changes) && <Button onClick={() => setDraft(draftOf(suite))}>Discard changes</Button>}
          <ApiExample operation="updateEvalSuite" input={input} />
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
    <Section title="Execution">
      <div className={css.form}>
        <DraftField {...fields} field="name" label="Name" required />
        <AreaField
          label="Description"
          rows={2}
          maxLength={5000}
          value={draft.description}
          onChange={(text) => set({ description: text })}
        />
        <Choices
          legend="Servers"
          choices={[...names].map((name) => ({ value: name, name }))}
          chosen={draft.servers}
          onChange={(chosen) => set({ servers: chosen })}
          none="This project has no servers."
        />
        <Model label="Model" value={draft.model} onChange={(model) => set({ model })} />
        <AreaField
          label="System prompt"
          hint="Default: none."
          rows={3}
          value={draft.systemPrompt}
          onChange={(text) => set({ systemPrompt: text })}
        />
        <DraftField
          {...fields}
          field="temperature"
          label="Temperature"
          hint="Default: the provider's."
          inputMode="decimal"
        />
      </div>
    </Section>
  );
}

function PassCriteria(fields: Fields) {
  const { suite } = fields;
  if (suite.settings.policy === 'legacy')
    return (
      <Section title="Pass criteria">
        <div className={css.form}>
          <DraftField
            {...fields}
            field="accuracy"
            label="Required pass rate of all trials, in percent"
            inputMode="decimal"
          />
        </div>
      </Section>
    );
  return (
    <Section title="Pass criteria">
      <div className={css.form}>
        <DraftField {...fields} field="trials" label="Trials per case" inputMode="numeric" />
        <DraftField
          {...fields}
          field="threshold"
          label="Required pass rate per case, in percent"
          hint="A case can override this."
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
        <p className={common.description}>
          Conditions a run must meet besides its verdict. Empty conditions are not checked.
        </p>
        <DraftField
          {...fields}
          field="drop"
          label="Maximum drop in pass rate, in percentage points"
          inputMode="decimal"
        />
        <DraftField
          {...fields}
          field="slowerMs"
          label="Maximum increase in p95 latency, in milliseconds"
          inputMode="decimal"
        />
        <Switch
          label="No previously passing deterministic check fails"
          checked={draft.noRegressions}
          onChange={(noRegressions) => set({ noRegressions })}
        />
        <Switch
          label="No required score is missing because of an error"
          checked={draft.noScoreErrors}
          onChange={(noScoreErrors) => set({ noScoreErrors })}
        />
        <SelectField
          label="Baseline"
          value={draft.against}
          options={[
            ['before', 'Previous run'],
            ['branch', 'Latest run on a branch'],
            ['run', 'A run'],
            ['commit', 'A commit'],
            ...(draft.against === 'none' ? ([['none', 'Not set']] as const) : []),
          ]}
          onChange={(value) => set({ against: value, baseline: '' })}
        />
        {draft.against !== 'before' && draft.against !== 'none' && (
          <DraftField {...fields} field="baseline" label={baselineNames[draft.against]} required />
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
          label="Judge trials with a model"
          checked={draft.judged}
          onChange={(judged) => set({ judged })}
        />
        {draft.judged && (
          <>
            <Model
              label="Judge model"
              value={draft.judgeModel}
              onChange={(judgeModel) => set({ judgeModel })}
            />
            <Switch
              label="Run automatically after each run"
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

/** A text field of the draft, with its error. */
function DraftField({
  draft,
  problems,
  set,
  field,
  label,
  hint,
  required = false,
  inputMode,
}: Fields & {
  field: TextName;
  label: string;
  hint?: string;
  required?: boolean;
  inputMode?: 'decimal' | 'numeric';
}) {
  return (
    <TextField
      label={label}
      hint={hint}
      required={required}
      problem={problems[field]}
      inputMode={inputMode}
      value={draft[field]}
      onChange={(text) => set({ [field]: text })}
    />
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
    <SelectField
      label={label}
      value={value}
      options={[...ids].map((id) => [id, id === '' ? 'Default' : id] as const)}
      onChange={onChange}
    />
  );
}
