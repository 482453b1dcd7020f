import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import type { Schema } from '../../../kit/form/schema.ts';
import { validate } from '../../../kit/form/validate.ts';
import { textOf } from '../../../kit/text.ts';
import { schemaOfCheck } from '../../suites/editor/case-body.ts';
import { CheckEditor } from '../../suites/editor/check-editor.tsx';
import editor from '../../suites/editor/editor.module.css';
import { root } from '../../suites/editor/schemas.ts';

/** Maximum number of criteria in a rubric. */
const maxCriteria = 25;

export function RubricEditor({
  criteria,
  onChange,
}: {
  criteria: readonly Schema[];
  onChange: (criteria: Schema[]) => void;
}) {
  const problems = problemsOf(criteria);
  const set = (at: number, changed: Schema): void =>
    onChange(criteria.with(at, { ...criteria[at], ...changed }));
  return (
    <div className={editor.form}>
      {criteria.length > 0 && (
        <ul className={editor.steps} aria-label="Criteria">
          {criteria.map((criterion, at) => (
            <li key={at} className={editor.step}>
              <div className={editor.stepHead}>
                <h3>Criterion {at + 1}</h3>
                <Button variant="quiet" onClick={() => onChange(criteria.toSpliced(at, 1))}>
                  Remove<span className="visually-hidden"> criterion {at + 1}</span>
                </Button>
              </div>
              <TextField
                label="ID"
                required
                hint="Keep it stable so that findings can be tracked across runs."
                problem={problems.get(`${at}.id`)}
                maxLength={64}
                value={textOf(criterion['id'])}
                onChange={(text) => set(at, { id: text })}
              />
              <TextField
                label="Label"
                maxLength={200}
                value={textOf(criterion['label'])}
                onChange={(text) => set(at, { label: text || undefined })}
              />
              <CheckEditor
                check={(criterion['predicate'] ?? {}) as Schema}
                onChange={(predicate) => set(at, { predicate })}
                problems={problems}
                path={`${at}.predicate`}
              />
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button
          disabled={criteria.length >= maxCriteria}
          onClick={() => onChange([...criteria, newCriterion(criteria)])}
        >
          Add criterion
        </Button>
      </div>
    </div>
  );
}

function newCriterion(criteria: readonly Schema[]): Schema {
  const taken = new Set(criteria.map(({ id }) => id));
  let number = criteria.length + 1;
  while (taken.has(`criterion-${number}`)) number++;
  return { id: `criterion-${number}`, predicate: { type: 'noToolErrors' } };
}

export function problemsOf(criteria: readonly Schema[]): Map<string, string> {
  const found = new Map<string, string>();
  const seen = new Set<unknown>();
  criteria.forEach(({ id, predicate }, at) => {
    if (typeof id !== 'string' || !/^[A-Za-z0-9_.-]+$/.test(id))
      found.set(`${at}.id`, 'Use letters, digits, "_", "." and "-"');
    if (seen.has(id)) found.set(`${at}.id`, 'Another criterion has this ID');
    seen.add(id);
    const check = (predicate ?? {}) as Schema;
    const schema = schemaOfCheck(check);
    if (!schema) found.set(`${at}.predicate.type`, 'Must be a kind of check');
    for (const [path, problem] of schema ? validate(schema, check, root) : [])
      found.set(`${at}.predicate.${path}`, problem);
  });
  return found;
}
