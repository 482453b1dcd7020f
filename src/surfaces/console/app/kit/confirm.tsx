import { type ReactNode, useState } from 'react';
import { Button, type Startable } from './button.tsx';
import css from './dialog.module.css';
import { Field, TextInput } from './field.tsx';
import { LazyDialog } from './lazy-dialog.tsx';

/** Asks before something is lost: it names what, and who uses it. */
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
  /** Label of the confirming button, the same as of the button that opened the dialog. */
  verb: string;
  /** Label of the cancelling button. */
  keep?: string;
  children: ReactNode;
  /** Started by the button. */
  action?: Startable;
  busy?: boolean | undefined;
  /** Cannot be done as things are; the text says why. */
  blocked?: boolean;
  /** Has to be typed first, where more is lost than one thing. */
  typed?: string;
  /** Shows the call for the API. */
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
