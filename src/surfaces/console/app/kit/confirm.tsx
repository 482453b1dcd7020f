import { type ReactNode, useState } from 'react';
import { Button, type Startable } from './button.tsx';
import css from './dialog.module.css';
import { Field, TextInput } from './field.tsx';
import { LazyDialog } from './lazy-dialog.tsx';

/** Confirms a destructive action: names what is lost and what uses it. */
export function Confirm({
  onClose,
  title,
  verb,
  keep = 'Cancel',
  children,
  action,
  busy = action?.isPending,
  blocked = false,
  typed,
  example,
  onConfirm = () => action?.mutate(),
}: {
  onClose: () => void;
  title: string;
  /** Label of the confirm button; matches the button that opened the dialog. */
  verb: string;
  /** Label of the cancel button. */
  keep?: string;
  children: ReactNode;
  /** Runs on confirm. */
  action?: Startable;
  busy?: boolean | undefined;
  /** Confirming is not possible; `children` explain why. */
  blocked?: boolean;
  /** Text the user must type to confirm, for large deletions. */
  typed?: string;
  /** Shows the equivalent API call. */
  example?: ReactNode;
  onConfirm?: () => void;
}) {
  const [words, setText] = useState('');
  return (
    <LazyDialog onClose={onClose} title={title}>
      <div className={css.body}>{children}</div>
      {typed !== undefined && (
        <Field label={`Type “${typed}” to confirm`}>
          <TextInput
            value={words}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setText(target.value)}
          />
        </Field>
      )}
      <footer className={css.foot}>
        {example && <span className={css.example}>{example}</span>}
        <Button onClick={onClose}>{keep}</Button>
        <Button
          look="danger"
          busy={busy}
          disabled={blocked || (typed !== undefined && words.trim() !== typed)}
          onClick={onConfirm}
        >
          {verb}
        </Button>
      </footer>
    </LazyDialog>
  );
}
