import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import css from './field.module.css';

/** A name above, a hint below, and what is wrong with the value if anything is. */
export function Field({
  label,
  hint,
  problem,
  needed,
  children,
}: {
  label: ReactNode;
  hint?: ReactNode;
  problem?: string | undefined;
  needed?: boolean;
  children: ReactNode;
}) {
  return (
    <label className={css.field}>
      <span className={css.label}>
        {label}
        {needed && (
          <span className={css.needed} title="needed">
            {' '}
            needed
          </span>
        )}
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

/** The browser's own: it works everywhere, with every keyboard, and costs nothing. */
export function Select({
  options,
  className,
  ...rest
}: ComponentProps<'select'> & { options: readonly (readonly [value: string, label: string])[] }) {
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
