import type { ComponentProps, FormEvent, ReactNode } from 'react';
import { classes } from './classes.ts';
import css from './field.module.css';

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** Shown below the field in the error color. */
  problem?: string | undefined;
  required?: boolean | undefined;
}

export function Field({ label, hint, problem, required, children }: FieldProps & { children: ReactNode }) {
  return (
    <label className={css.field}>
      <span className={css.label}>
        {label}
        {required && <span className={css.required}> required</span>}
      </span>
      {children}
      {hint && <span className={css.hint}>{hint}</span>}
      {problem !== undefined && <span className={css.problem}>{problem}</span>}
    </label>
  );
}

export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return <input type="text" {...rest} className={classes(css.input, className)} />;
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea spellCheck={false} {...rest} className={classes(css.input, css.area, className)} />;
}

type Options<Value extends string> = readonly (readonly [value: Value, label: string])[];

export function Select({
  options,
  className,
  ...rest
}: ComponentProps<'select'> & { options: Options<string> }) {
  return (
    <select {...rest} className={classes(css.input, css.select, className)}>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** The attributes of an input whose `onChange` is called with the new value instead of an event. */
type Valued<Element extends 'input' | 'textarea' | 'select', Value> = Omit<
  ComponentProps<Element>,
  'onChange' | 'value' | 'required'
> & { value: Value; onChange: (value: Value) => void };

export function TextField({
  label,
  hint,
  problem,
  required,
  onChange,
  ...rest
}: FieldProps & Valued<'input', string>) {
  return (
    <Field {...{ label, hint, problem, required }}>
      <TextInput {...rest} onChange={({ target }) => onChange(target.value)} />
    </Field>
  );
}

/** A field that the browser requires; not marked, because all fields of its form are required. */
export function RequiredField({
  label,
  hint,
  onChange,
  ...rest
}: Omit<FieldProps, 'problem' | 'required'> & Valued<'input', string>) {
  return (
    <Field {...{ label, hint }}>
      <TextInput required {...rest} onChange={({ target }) => onChange(target.value)} />
    </Field>
  );
}

export function AreaField({
  label,
  hint,
  problem,
  required,
  onChange,
  ...rest
}: FieldProps & Valued<'textarea', string>) {
  return (
    <Field {...{ label, hint, problem, required }}>
      <TextArea {...rest} onChange={({ target }) => onChange(target.value)} />
    </Field>
  );
}

export function SelectField<Value extends string>({
  label,
  hint,
  problem,
  required,
  onChange,
  ...rest
}: FieldProps & Valued<'select', Value> & { options: Options<Value> }) {
  return (
    <Field {...{ label, hint, problem, required }}>
      <Select {...rest} onChange={({ target }) => onChange(target.value as Value)} />
    </Field>
  );
}

/** A handler that submits a form without reloading the page. */
export function submits(submit: () => void): (event: FormEvent) => void {
  return (event) => {
    event.preventDefault();
    submit();
  };
}
