import { Button } from '../../../kit/button.tsx';
import { Field, Select, TextInput } from '../../../kit/field.tsx';
import type { Schema } from '../../../kit/form/schema.ts';
import { type Problems, SchemaForm } from '../../../kit/form/schema-form.tsx';
import { CheckEditor } from './check-editor.tsx';
import css from './editor.module.css';
import { caseSchema, root } from './schemas.ts';
import { StepsEditor } from './steps-editor.tsx';

const modes = [
  ['inherit', 'Those of the suite'],
  ['extend', 'Those of the suite and these'],
  ['replace', 'Only these'],
] as const;

const others = [
  'isNegative',
  'repetitions',
  'passThreshold',
  'expectedOutput',
  'models',
  'intent',
  'kind',
  'scenario',
  'matchOptions',
  'judge',
  'suppressedSuiteStandardCheckIds',
];

/** Everything about a case, in fields. */
export function CaseForm({
  body,
  isNew,
  onChange,
  problems,
}: {
  body: Schema;
  isNew: boolean;
  onChange: (body: Schema) => void;
  problems: Problems;
}) {
  const set = (name: string, value: unknown): void => {
    const { [name]: _, ...rest } = body;
    onChange(value === undefined ? rest : { ...body, [name]: value });
  };
  const text = (name: string): string => (typeof body[name] === 'string' ? body[name] : '');
  const steps = Array.isArray(body['steps']) ? (body['steps'] as Schema[]) : [];
  return (
    <div className={css.form}>
      <Field label="Name" needed problem={problems.get('title')}>
        <TextInput
          value={text('title')}
          aria-invalid={problems.has('title')}
          onChange={(event) => set('title', event.target.value)}
        />
      </Field>
      {isNew && (
        <Field
          label="Id of your own"
          hint="Unique in the suite; its history is kept by it. Made up when left out."
          problem={problems.get('id')}
        >
          <TextInput
            value={text('id')}
            aria-invalid={problems.has('id')}
            onChange={(event) => set('id', event.target.value || undefined)}
          />
        </Field>
      )}
      <h2>What happens</h2>
      <StepsEditor steps={steps} onChange={(next) => set('steps', next)} problems={problems} />
      <h2>Checks of the whole trial</h2>
      <OwnChecks
        value={(body['checks'] ?? {}) as Schema}
        onChange={(checks) => set('checks', checks)}
        problems={problems}
      />
      <details className={css.more}>
        <summary>More settings</summary>
        <SchemaForm
          schema={only(caseSchema, others)}
          root={root}
          value={body}
          onChange={onChange}
          problems={problems}
        />
      </details>
    </div>
  );
}

/** Those that the case has itself, and what becomes of those of its suite. */
function OwnChecks({
  value,
  onChange,
  problems,
}: {
  value: Schema;
  onChange: (value: Schema | undefined) => void;
  problems: Problems;
}) {
  const mode = typeof value['mode'] === 'string' ? value['mode'] : 'inherit';
  const list = Array.isArray(value['list']) ? (value['list'] as Schema[]) : [];
  const set = (next: Schema[], how = mode): void =>
    onChange(how === 'inherit' && next.length === 0 ? undefined : { mode: how, list: next });
  return (
    <>
      <Field label="It is judged by" problem={problems.get('checks.mode')}>
        <Select value={mode} onChange={(event) => set(list, event.target.value)} options={modes} />
      </Field>
      <ul className={css.steps}>
        {list.map((check, at) => (
          <li key={at} className={css.step}>
            <div className={css.stepHead}>
              <h3>Check {at + 1}</h3>
              <Button look="quiet" onClick={() => set(list.toSpliced(at, 1))}>
                Remove<span className="visually-hidden"> check {at + 1}</span>
              </Button>
            </div>
            <CheckEditor
              check={check}
              onChange={(next) => set(list.with(at, next))}
              problems={problems}
              path={`checks.list.${at}`}
            />
          </li>
        ))}
      </ul>
      <div>
        <Button
          onClick={() => set([...list, { type: 'noToolErrors' }], mode === 'inherit' ? 'extend' : mode)}
        >
          Add check of the trial
        </Button>
      </div>
    </>
  );
}

function only(schema: Schema, names: readonly string[]): Schema {
  const properties = schema['properties'] as Schema;
  return { ...schema, properties: Object.fromEntries(names.map((name) => [name, properties[name]])) };
}
