import type { ReactNode } from 'react';
import { Button, type Startable } from './button.tsx';
import { LazyDialog } from './dialog-button.tsx';
import { submits } from './field.tsx';
import css from './form.module.css';
import { Problem } from './notice.tsx';

/** The error of an action, below the fields of its form. */
export function SubmitError({ of: { error } }: { of: { error: unknown } }) {
  return error === null ? null : <Problem error={error} />;
}

interface DialogFormProps {
  /** Label of the submit button. */
  verb: string;
  /** Runs on submit; its error is shown below the fields. */
  action: Startable & { error: unknown };
  /** Another error to show, such as from a query for options. */
  error?: unknown;
  /** A required value is missing. */
  blocked?: boolean;
  /** Shows the equivalent API call. */
  example?: ReactNode;
  onClose: () => void;
  onSubmit?: () => void;
  children: ReactNode;
}

/** The content of a dialog with a form. Errors appear below the fields and do not discard the input. */
export function DialogForm({
  verb,
  action,
  error = null,
  blocked = false,
  example,
  onClose,
  onSubmit = () => action.mutate(),
  children,
}: DialogFormProps) {
  return (
    <form
      className={css.form}
      onSubmit={submits(() => blocked || action.isPending || onSubmit())}
      autoComplete="off"
    >
      {children}
      <SubmitError of={{ error: action.error ?? error }} />
      <footer className={css.foot}>
        {example && <span>{example}</span>}
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={action.isPending} disabled={blocked}>
          {verb}
        </Button>
      </footer>
    </form>
  );
}

export function FormDialog({
  title,
  wide = false,
  ...form
}: DialogFormProps & { title: string; wide?: boolean }) {
  return (
    <LazyDialog onClose={form.onClose} title={title} wide={wide}>
      <DialogForm {...form} />
    </LazyDialog>
  );
}
