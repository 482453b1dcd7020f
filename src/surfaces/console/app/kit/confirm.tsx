import { type ReactNode, useState } from 'react';
import { type Outcome, useAction } from '../api/action.ts';
import { Button, type ButtonProps, type Startable } from './button.tsx';
import css from './dialog.module.css';
import { LazyDialog } from './dialog-button.tsx';
import { Field, TextInput } from './field.tsx';

interface Question {
  title: string;
  /** Label of the confirm button. */
  verb: string;
  /** Label of the cancel button. */
  keep?: string | undefined;
  /** Names what is lost and what uses it. */
  children: ReactNode;
  /** Text the user must type to confirm, for large deletions. */
  typed?: string | undefined;
  /** Shows the equivalent API call. */
  example?: ReactNode;
}

/** Confirms a destructive action. */
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
}: Question & {
  onClose: () => void;
  /** Runs on confirm. */
  action?: Startable;
  busy?: boolean | undefined;
  /** Confirming is not possible; `children` explain why. */
  blocked?: boolean;
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
          variant="danger"
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

interface ConfirmButtonProps<Out>
  extends Omit<ButtonProps, 'children' | 'title' | 'action' | 'onClick'>,
    Omit<Question, 'title' | 'verb'>,
    Pick<Outcome<Out, void>, 'says' | 'onDone'> {
  label: string;
  /** Title of the dialog. */
  question: string;
  /** Label of the confirm button, if different from `label`. */
  verb?: string;
  tip?: string | undefined;
  /** Runs on confirm; the dialog closes when it succeeds. */
  write: () => Promise<Out>;
}

/** A button whose action is confirmed in a dialog first. */
export function ConfirmButton<Out>({
  label,
  question,
  verb = label,
  keep,
  children,
  typed,
  example,
  tip,
  write,
  says,
  onDone,
  ...button
}: ConfirmButtonProps<Out>) {
  const [open, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const action = useAction(write, {
    says,
    onDone: (answer) => {
      close();
      return onDone?.(answer);
    },
  });
  return (
    <>
      <Button {...button} title={tip} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && (
        <Confirm
          onClose={close}
          title={question}
          verb={verb}
          keep={keep}
          typed={typed}
          example={example}
          action={action}
        >
          {children}
        </Confirm>
      )}
    </>
  );
}
