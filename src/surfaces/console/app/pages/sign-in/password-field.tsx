import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import css from './password-field.module.css';

/** Limits of the API, in characters. */
const shortest = 10;
const longest = 200;

/** Client-side check of a new password. */
function problemOf(password: string): string | undefined {
  if (password.length > 0 && password.length < shortest) return `At least ${shortest} characters.`;
  return password.length > longest ? `At most ${longest} characters.` : undefined;
}

/** Field for an existing password. */
export function PasswordField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      <TextInput
        type="password"
        autoComplete="current-password"
        required
        maxLength={longest}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}

/** Entered once, because it can be shown. */
export function NewPasswordField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const [shown, setShown] = useState(false);
  const [left, setLeft] = useState(false);
  const problem = left ? problemOf(value) : undefined;
  return (
    <div className={css.field}>
      <Field
        label={label}
        hint={`${shortest} characters or more. A passphrase of several words is easy to remember.`}
        problem={problem}
      >
        <TextInput
          type={shown ? 'text' : 'password'}
          autoComplete="new-password"
          spellCheck={false}
          required
          minLength={shortest}
          maxLength={longest}
          aria-invalid={problem !== undefined}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          onBlur={() => setLeft(true)}
        />
      </Field>
      <Button variant="quiet" className={css.show} aria-pressed={shown} onClick={() => setShown(!shown)}>
        Show {label.toLowerCase()}
      </Button>
    </div>
  );
}
