import { Button } from '../../../kit/button.tsx';
import { SelectField, TextField } from '../../../kit/field.tsx';
import type { Schema } from '../../../kit/form/schema.ts';
import { type Problems, SchemaForm } from '../../../kit/form/schema-form.tsx';
import { CheckEditor } from './check-editor.tsx';
import css from './editor.module.css';
import { caseSchema, root } from './schemas.ts';
import { StepsEditor } from './steps-editor.tsx';

const modes = [
  ['inherit', 'Suite checks'],
  ['extend', 'Suite and case checks'],
  ['replace', 'Case checks only'],
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

/** All fields of a case. */
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
      <TextField
        label="Name"
        required
        problem={problems.get('title')}
        value={text('title')}
        aria-invalid={problems.has('title')}
        onChange={(text) => set('title', text)}
      />
      {isNew && (
        <TextField
          label="Custom ID"
          hint="Unique in the suite; history is kept under it. Generated if empty."
          problem={problems.get('id')}
          value={text('id')}
          aria-invalid={problems.has('id')}
          onChange={(text) => set('id', text || undefined)}
        />
      )}
      <h2>Steps</h2>
      <StepsEditor steps={steps} onChange={(next) => set('steps', next)} problems={problems} />
      <h2>Trial checks</h2>
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
      <SelectField
        label="Checks used"
        problem={problems.get('checks.mode')}
        value={mode}
        options={modes}
        onChange={(value) => set(list, value)}
      />
      <ul className={css.steps}>
        {list.map((check, at) => (
          <li key={at} className={css.step}>
            <div className={css.stepHead}>
              <h3>Check {at + 1}</h3>
              <Button variant="quiet" onClick={() => set(list.toSpliced(at, 1))}>
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
          Add trial check
        </Button>
      </div>
    </>
  );
}

function only(schema: Schema, names: readonly string[]): Schema {
  const properties = schema['properties'] as Schema;
  return { ...schema, properties: Object.fromEntries(names.map((name) => [name, properties[name]])) };
}
