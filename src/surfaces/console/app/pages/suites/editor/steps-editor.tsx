import { Button } from '../../../kit/button.tsx';
import { AreaField } from '../../../kit/field.tsx';
import type { Schema } from '../../../kit/form/schema.ts';
import { type Problems, SchemaForm } from '../../../kit/form/schema-form.tsx';
import { nextStepId } from './case-body.ts';
import { CheckEditor } from './check-editor.tsx';
import css from './editor.module.css';
import { root, stepSchemas } from './schemas.ts';

const names: Record<string, string> = {
  prompt: 'The user says',
  assert: 'Checks',
  toolCall: 'Direct tool call',
  interact: 'Widget action',
};

const fresh: Record<string, Schema> = {
  prompt: { kind: 'prompt', prompt: '' },
  assert: { kind: 'assert', assertion: { type: 'responseContains' } },
  toolCall: { kind: 'toolCall', arguments: {} },
  interact: { kind: 'interact' },
};

export function StepsEditor({
  steps,
  onChange,
  problems,
}: {
  steps: Schema[];
  onChange: (steps: Schema[]) => void;
  problems: Problems;
}) {
  const set = (at: number, step: Schema): void => onChange(steps.with(at, step));
  const swap = (at: number, other: number): void => {
    const [one, two] = [steps[at], steps[other]];
    if (one && two) onChange(steps.with(at, two).with(other, one));
  };
  return (
    <>
      <ol className={css.steps}>
        {steps.map((step, at) => (
          <li key={at} className={css.step}>
            <div className={css.stepHead}>
              <h3>
                {at + 1}. {names[String(step['kind'])] ?? 'Unknown step'}
              </h3>
              <Button variant="quiet" disabled={at === 0} onClick={() => swap(at, at - 1)}>
                Move up<span className="visually-hidden">, step {at + 1}</span>
              </Button>
              <Button variant="quiet" disabled={at === steps.length - 1} onClick={() => swap(at, at + 1)}>
                Move down<span className="visually-hidden">, step {at + 1}</span>
              </Button>
              <Button variant="quiet" onClick={() => onChange(steps.toSpliced(at, 1))}>
                Remove<span className="visually-hidden"> step {at + 1}</span>
              </Button>
            </div>
            <StepFields
              step={step}
              number={at + 1}
              onChange={(next) => set(at, next)}
              problems={problems}
              path={`steps.${at}`}
            />
          </li>
        ))}
      </ol>
      {problems.has('steps') && <p className={css.problem}>{problems.get('steps')}</p>}
      <div className={css.adds}>
        {(['prompt', 'assert', 'toolCall', 'interact'] as const).map((kind) => (
          <Button key={kind} onClick={() => onChange([...steps, { id: nextStepId(steps), ...fresh[kind] }])}>
            {addLabels[kind]}
          </Button>
        ))}
      </div>
    </>
  );
}

const addLabels = {
  prompt: 'Add turn',
  assert: 'Add check',
  toolCall: 'Add tool call',
  interact: 'Add widget action',
};

function StepFields({
  step,
  number,
  onChange,
  problems,
  path,
}: {
  step: Schema;
  number: number;
  onChange: (step: Schema) => void;
  problems: Problems;
  path: string;
}) {
  const kind = String(step['kind']);
  const wrongId = problems.get(`${path}.id`);
  if (kind === 'prompt') {
    const problem = problems.get(`${path}.prompt`) ?? wrongId;
    return (
      <AreaField
        label={<span className="visually-hidden">Prompt of step {number}</span>}
        problem={problem}
        rows={3}
        aria-invalid={problem !== undefined}
        value={typeof step['prompt'] === 'string' ? step['prompt'] : ''}
        onChange={(text) => onChange({ ...step, prompt: text })}
      />
    );
  }
  if (kind === 'assert')
    return (
      <CheckEditor
        check={(step['assertion'] ?? {}) as Schema}
        onChange={(assertion) => onChange({ ...step, assertion })}
        problems={problems}
        path={`${path}.assertion`}
        widgets
      />
    );
  const schema = stepSchemas[kind];
  if (!schema) return <p className={css.problem}>Change the step's kind in the JSON.</p>;
  const { id: _id, kind: _kind, ...properties } = schema['properties'] as Schema;
  return (
    <SchemaForm
      schema={{ ...schema, properties }}
      root={root}
      value={step}
      onChange={onChange}
      problems={problems}
      path={path}
    />
  );
}
