import { type ReactNode, useId } from 'react';
import { classes } from './classes.ts';
import css from './form.module.css';

export interface Choice {
  value: string;
  name: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
}

/** A group of checkboxes. */
export function Choices({
  legend,
  choices,
  chosen,
  onChange,
  none,
  hintsBelow = false,
}: {
  legend: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  none: ReactNode;
  /** Hints are sentences and appear below the names. */
  hintsBelow?: boolean;
}) {
  const turn = (value: string, on: boolean): void =>
    onChange(on ? [...chosen, value] : chosen.filter((one) => one !== value));
  return (
    <fieldset className={css.group}>
      <legend>{legend}</legend>
      {choices.length === 0 ? (
        <span className={css.hint}>{none}</span>
      ) : (
        <div className={css.choices}>
          {choices.map(({ value, name, hint, disabled }) => (
            <label key={value} className={classes(css.choice, hintsBelow && css.hintsBelow)}>
              <input
                type="checkbox"
                checked={chosen.includes(value)}
                disabled={disabled}
                onChange={({ target }) => turn(value, target.checked)}
              />
              <span>{name}</span>
              {hint && <small>{hint}</small>}
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

/** A radio group with a hint for each option. */
export function OneChoice<Value extends string>({
  legend,
  choices,
  chosen,
  onChange,
}: {
  legend: string;
  choices: readonly { value: Value; name: string; hint?: string }[];
  chosen: Value;
  onChange: (chosen: Value) => void;
}) {
  const group = useId();
  return (
    <fieldset className={css.group}>
      <legend>{legend}</legend>
      <div className={css.choices}>
        {choices.map(({ value, name, hint }) => (
          <label key={value} className={classes(css.choice, css.hintsBelow)}>
            <input type="radio" name={group} checked={value === chosen} onChange={() => onChange(value)} />
            <span>{name}</span>
            {hint && <small>{hint}</small>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export function Switch({
  label,
  checked,
  onChange,
}: {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className={css.switch}>
      <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} />
      <span>{label}</span>
    </label>
  );
}
