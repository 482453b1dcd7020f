import { AreaField } from '../field.tsx';
import css from './form.module.css';
import { asSchema, type Schema } from './schema.ts';

/** JSON being edited: its text, and the last value that parsed. */
export interface Typed {
  text: string;
  value: Schema;
  problem: string | undefined;
}

export function typedFrom(value: Schema): Typed {
  return { text: JSON.stringify(value, null, 2), value, problem: undefined };
}

function typed(text: string, before: Schema): Typed {
  try {
    const value = asSchema(JSON.parse(text.trim() === '' ? '{}' : text));
    return value
      ? { text, value, problem: undefined }
      : { text, value: before, problem: 'Must be a JSON object' };
  } catch (error) {
    return { text, value: before, problem: (error as Error).message };
  }
}

/** JSON editor next to a form. */
export function JsonSide({
  given,
  most = 24,
  onChange,
}: {
  given: Typed;
  /** Maximum number of visible lines. */
  most?: number;
  onChange: (next: Typed) => void;
}) {
  return (
    <AreaField
      label="JSON"
      problem={given.problem}
      hint={given.problem === undefined ? undefined : 'The fields show the last valid JSON.'}
      className={css.raw}
      rows={Math.min(most, given.text.split('\n').length + 2)}
      value={given.text}
      aria-invalid={given.problem !== undefined}
      onChange={(text) => onChange(typed(text, given.value))}
    />
  );
}
