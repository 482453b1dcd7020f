import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import css from './dialog.module.css';
import { Field, TextInput } from './field.tsx';
import { LazyDialog } from './lazy-dialog.tsx';

/** Asks before something is lost: it names what, and who uses it. */
export function Confirm({
  onClose,
  title,
  verb,
  keep = 'Keep it',
  lost,
  busy,
  blocked = false,
  typed,
  same,
  onConfirm,
}: {
  onClose: () => void;
  title: string;
  /** What the button does, in the words of the button that led here. */
  verb: string;
  /** What the other button does. */
  keep?: string;
  lost: ReactNode;
  busy: boolean;
  /** Cannot be done as things are; `lost` says why. */
  blocked?: boolean;
  /** Has to be typed first, where more is lost than one thing. */
  typed?: string;
  /** The same elsewhere. */
  same?: ReactNode;
  onConfirm: () => void;
}) {
  const [words, setWords] = useState('');
  return (
    <LazyDialog onClose={onClose} title={title}>
      <div className={css.body}>{lost}</div>
      {typed !== undefined && (
        <Field label={`Type “${typed}” to go on`}>
          <TextInput
            value={words}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setWords(target.value)}
          />
        </Field>
      )}
      <footer className={css.foot}>
        {same && <span className={css.same}>{same}</span>}
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
