import { SelectField } from '../../../kit/field.tsx';
import type { Schema } from '../../../kit/form/schema.ts';
import { type Problems, SchemaForm } from '../../../kit/form/schema-form.tsx';
import { textOf } from '../../../kit/text.ts';
import { checkText } from '../check-labels.ts';
import { schemaOfCheck } from './case-body.ts';
import css from './editor.module.css';
import { checkSchemas, observing, root, widgetSchemas } from './schemas.ts';

const kinds = Object.keys(checkSchemas).map((type) => [type, type] as const);
const widgetKinds = Object.keys(widgetSchemas).map((kind) => [`widget ${kind}`, `widget: ${kind}`] as const);

/** Editor of a check: its kind, then the fields of that kind. */
export function CheckEditor({
  check,
  onChange,
  problems,
  path,
  widgets = false,
}: {
  check: Schema;
  onChange: (check: Schema) => void;
  problems: Problems;
  /** Path of the check within the case. */
  path: string;
  /** Whether widget checks are available. */
  widgets?: boolean;
}) {
  const widget = check['type'] === undefined && typeof check['kind'] === 'string';
  const chosen = widget ? `widget ${textOf(check['kind'])}` : textOf(check['type']);
  const schema = schemaOfCheck(check);
  const options = [...kinds, ...(widgets ? widgetKinds : [])];
  const word = widget ? 'kind' : 'type';
  return (
    <div className={css.check}>
      <SelectField
        label="The model"
        problem={problems.get(`${path}.${word}`)}
        hint={schema && checkText(check)}
        value={chosen}
        options={schema ? options : [[chosen, chosen || 'Select a check'], ...options]}
        onChange={(value) => onChange(emptyCheck(value, check))}
      />
      {schema && (
        <SchemaForm
          key={chosen}
          schema={without(schema, word)}
          root={root}
          value={check}
          onChange={onChange}
          problems={problems}
          path={path}
        />
      )}
    </div>
  );
}

/** A new check of another kind. Keeps the tool name if that kind has one. */
function emptyCheck(chosen: string, before: Schema): Schema {
  const [first, kind] = chosen.split(' ');
  const named = kind === undefined ? { type: first } : { kind };
  const toolName = before['toolName'];
  const properties = schemaOfCheck(named)?.['properties'] as Schema | undefined;
  return {
    ...named,
    ...(toolName !== undefined && properties?.['toolName'] !== undefined && { toolName }),
    ...(observing.includes(chosen) && { role: 'advisory' }),
  };
}

/** The schema without the field that is edited separately. */
function without(schema: Schema, name: string): Schema {
  const { [name]: _, ...properties } = schema['properties'] as Schema;
  return { ...schema, properties };
}
