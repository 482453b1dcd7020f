import type { FormEvent, ReactNode } from 'react';
import { Button } from './button.tsx';
import css from './form.module.css';
import { LazyDialog } from './lazy-dialog.tsx';
import { Problem } from './notice.tsx';

/** Fields over the page; what the service refuses is said below them, and nothing that was typed is lost. */
export function FormDialog({
  title,
  verb,
  busy,
  error,
  blocked = false,
  wide = false,
  same,
  onClose,
  onSubmit,
  children,
}: {
  title: string;
  /** What the button does. */
  verb: string;
  busy: boolean;
  error: unknown;
  /** Something that is needed is missing. */
  blocked?: boolean;
  wide?: boolean;
  /** The same elsewhere. */
  same?: ReactNode;
  onClose: () => void;
  onSubmit: () => void;
  children: ReactNode;
}) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!blocked && !busy) onSubmit();
  };
  return (
    <LazyDialog onClose={onClose} title={title} wide={wide}>
      <form className={css.form} onSubmit={submit} autoComplete="off">
        {children}
        {error !== null && error !== undefined && <Problem error={error} />}
        <footer className={css.foot}>
          {same && <span>{same}</span>}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy} disabled={blocked}>
            {verb}
          </Button>
        </footer>
      </form>
    </LazyDialog>
  );
}
