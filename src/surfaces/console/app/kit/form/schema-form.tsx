import { useMemo, useState } from 'react';
import { Button } from '../button.tsx';
import { Field, Select, TextArea, TextInput } from '../field.tsx';
import { briefJson } from '../json.ts';
import { counted } from '../numbers.ts';
import { cut } from '../text.ts';
import css from './form.module.css';
import {
  asSchema,
  deepest,
  descriptionOf,
  levelsThatFit,
  limitsOf,
  maxChoiceCharacters,
  type Schema,
  type Field as SchemaField,
  shapeOf,
} from './schema.ts';

interface Editing<Value = unknown> {
  value: Value;
  /** `undefined` removes the value. */
  onChange: (value: unknown) => void;
  schema: Schema;
  root: Schema;
  label: string;
  wrong?: boolean;
}

/** Errors by field path, joined by dots as in API errors. */
export type Problems = ReadonlyMap<string, string>;

const noProblems: Problems = new Map();
/** Lists with more items are edited as JSON. */
const maxLines = 100;

/** Form fields generated from the JSON Schema of an object. */
export function SchemaForm({
  schema,
  root = schema,
  value,
  onChange,
  problems = noProblems,
  path = '',
}: {
  schema: Schema;
  /** Document in which `$ref` is resolved. */
  root?: Schema;
  value: Schema;
  onChange: (value: Schema) => void;
  problems?: Problems;
  /** Path prefix of this value within `problems`. */
  path?: string;
}) {
  const levels = useMemo(() => levelsThatFit(schema, root), [schema, root]);
  const shape = shapeOf(schema, root, 0, levels);
  if (shape.kind !== 'object' || shape.fields.length === 0)
    return <p className={css.none}>No documented arguments.</p>;
  return (
    <div className={css.form}>
      <Fields
        fields={shape.fields}
        more={shape.more}
        root={root}
        value={value}
        onChange={onChange}
        depth={0}
        levels={levels}
        problems={problems}
        path={path}
      />
      {levels < deepest && (
        <p className={css.none}>Too many fields to show as a form. Edit nested objects as JSON.</p>
      )}
    </div>
  );
}

function under(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** The error of a field, or the first error nested in it, with its path. */
function problemAt(problems: Problems, path: string): string | undefined {
  const own = problems.get(path);
  if (own !== undefined) return own;
  for (const [at, problem] of problems)
    if (at.startsWith(`${path}.`)) return `${at.slice(path.length + 1)}: ${problem}`;
  return undefined;
}

function Fields({
  fields,
  more,
  root,
  value,
  onChange,
  depth,
  levels,
  problems,
  path,
}: {
  fields: SchemaField[];
  more: number;
  root: Schema;
  value: Schema;
  onChange: (value: Schema) => void;
  depth: number;
  levels: number;
  problems: Problems;
  path: string;
}) {
  const set = (name: string, next: unknown): void => {
    const { [name]: _, ...rest } = value;
    onChange(next === undefined ? rest : { ...value, [name]: next });
  };
  return (
    <>
      {fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          root={root}
          value={Object.hasOwn(value, field.name) ? value[field.name] : undefined}
          onChange={(next) => set(field.name, next)}
          depth={depth}
          levels={levels}
          problems={problems}
          path={under(path, field.name)}
        />
      ))}
      {more > 0 && (
        <p className={css.none}>
          {counted(more, 'more field is', 'more fields are')} not shown. Edit them as JSON.
        </p>
      )}
    </>
  );
}

function OneField({
  field,
  root,
  value,
  onChange,
  depth,
  levels,
  problems,
  path,
}: {
  field: SchemaField;
  root: Schema;
  value: unknown;
  onChange: (value: unknown) => void;
  depth: number;
  levels: number;
  problems: Problems;
  path: string;
}) {
  const { schema, needed } = field;
  const name = cut(field.name);
  const shape = shapeOf(schema, root, depth + 1, levels);
  const description = descriptionOf(schema, root);
  if (shape.kind === 'object')
    return (
      <fieldset className={css.group}>
        <legend>{name}</legend>
        {description && <p className={css.none}>{description}</p>}
        <Fields
          fields={shape.fields}
          more={shape.more}
          root={root}
          value={asSchema(value) ?? {}}
          onChange={(next) => onChange(Object.keys(next).length === 0 ? undefined : next)}
          depth={depth + 1}
          levels={levels}
          problems={problems}
          path={path}
        />
        {problems.has(path) && <p className={css.problem}>{problems.get(path)}</p>}
      </fieldset>
    );
  const problem = problemAt(problems, path);
  const editing = { value, onChange, schema, root, label: name, wrong: problem !== undefined };
  if (shape.kind === 'list' && !(Array.isArray(value) && value.length > maxLines))
    return (
      <fieldset className={css.group}>
        <legend>
          {name} <small>{limitsOf(schema, root)}</small>
        </legend>
        {description && <p className={css.none}>{description}</p>}
        <ListField {...editing} item={shape.item} />
        {problem !== undefined && <p className={css.problem}>{problem}</p>}
      </fieldset>
    );
  return (
    <Field
      label={<code>{name}</code>}
      required={needed}
      problem={problem}
      hint={[limitsOf(schema, root), description].filter(Boolean).join('. ')}
    >
      <ScalarField {...editing} />
    </Field>
  );
}

function ScalarField({ value, onChange, schema, root, label, wrong }: Editing) {
  const shape = shapeOf(schema, root);
  if (shape.kind === 'choice' || shape.kind === 'boolean') {
    const values = shape.kind === 'choice' ? shape.values : [true, false];
    const given = briefJson(value, maxChoiceCharacters);
    const at = values.findIndex((one) => briefJson(one, maxChoiceCharacters) === given);
    return (
      <Select
        aria-label={label}
        aria-invalid={wrong}
        value={at < 0 ? '' : String(at)}
        onChange={(event) =>
          onChange(event.target.value === '' ? undefined : values[Number(event.target.value)])
        }
        options={[
          ['', 'Default'],
          ...values.map(
            (one, place) => [String(place), typeof one === 'string' ? cut(one) : briefJson(one)] as const,
          ),
        ]}
      />
    );
  }
  if (shape.kind === 'text') {
    const props = {
      'aria-label': label,
      'aria-invalid': wrong,
      value: typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value),
      onChange: (event: { target: { value: string } }) =>
        onChange(event.target.value === '' ? undefined : event.target.value),
    };
    return shape.long ? <TextArea rows={4} {...props} /> : <TextInput {...props} />;
  }
  return (
    <ParsedField
      value={value}
      onChange={onChange}
      schema={schema}
      root={root}
      label={label}
      wrong={wrong ?? false}
      number={shape.kind === 'number'}
    />
  );
}

/** Text that does not parse leaves the value unchanged. */
function ParsedField({ value, onChange, label, number, wrong }: Editing & { number: boolean }) {
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? (value === undefined ? '' : JSON.stringify(value, null, number ? undefined : 2));
  const change = (text: string): void => {
    const read = text.trim() === '' ? { value: undefined } : parsed(text, number);
    setTyped(read ? undefined : text);
    if (read) onChange(read.value);
  };
  const props = {
    'aria-label': label,
    'aria-invalid': wrong || typed !== undefined,
    title: typed === undefined ? undefined : number ? 'Not a number' : 'Not valid JSON',
    value: shown,
    onChange: (event: { target: { value: string } }) => change(event.target.value),
  };
  return number ? <TextInput inputMode="decimal" {...props} /> : <TextArea rows={3} {...props} />;
}

function parsed(text: string, number: boolean): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // `1.` and `1.0` may be incomplete input.
    if (number && (typeof value !== 'number' || JSON.stringify(value) !== text.trim())) return undefined;
    return { value };
  } catch {
    return undefined;
  }
}

function ListField({ value, onChange, item, root, label }: Editing & { item: Schema }) {
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const set = (next: unknown[]): void => onChange(next.length === 0 ? undefined : next);
  return (
    <>
      {items.map((one, at) => (
        <div key={at} className={css.line}>
          <ScalarField
            value={one}
            onChange={(next) => set(items.with(at, next ?? emptyOf(item, root)))}
            schema={item}
            root={root}
            label={`${label} ${at + 1}`}
          />
          <Button
            variant="quiet"
            aria-label={`Remove ${label} ${at + 1}`}
            onClick={() => set(items.toSpliced(at, 1))}
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={() => set([...items, emptyOf(item, root)])}>Add</Button>
      </div>
    </>
  );
}

function emptyOf(item: Schema, root: Schema): unknown {
  const shape = shapeOf(item, root);
  if (shape.kind === 'choice') return shape.values[0];
  return { number: 0, boolean: false }[shape.kind as 'number'] ?? '';
}
