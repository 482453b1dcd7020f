import type { FormEvent, ReactNode } from 'react';
import { Button, type Startable } from './button.tsx';
import { LazyDialog } from './dialog-button.tsx';
import css from './form.module.css';
import { Problem } from './notice.tsx';

/** A form in a dialog. Errors appear below the fields and do not discard the input. */
export function FormDialog({
  title,
  verb,
  action,
  error,
  blocked = false,
  wide = false,
  example,
  onClose,
  onSubmit = () => action.mutate(),
  children,
}: {
  title: string;
  /** Label of the submit button. */
  verb: string;
  /** Runs on submit; its error is shown below the fields. */
  action: Startable & { error: unknown };
  /** Another error to show, such as from a query for options. */
  error?: unknown;
  /** A required value is missing. */
  blocked?: boolean;
  wide?: boolean;
  /** Shows the equivalent API call. */
  example?: ReactNode;
  onClose: () => void;
  onSubmit?: () => void;
  children: ReactNode;
}) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!blocked && !action.isPending) onSubmit();
  };
  const shown = action.error ?? error;
  return (
    <LazyDialog onClose={onClose} title={title} wide={wide}>
      <form className={css.form} onSubmit={submit} autoComplete="off">
        {children}
        {shown !== null && shown !== undefined && <Problem error={shown} />}
        <footer className={css.foot}>
          {example && <span>{example}</span>}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={action.isPending} disabled={blocked}>
            {verb}
          </Button>
        </footer>
      </form>
    </LazyDialog>
  );
}
