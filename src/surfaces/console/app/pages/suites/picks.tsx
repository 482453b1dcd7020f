import css from './suites.module.css';

/** Some of several. */
export function Picks({
  label,
  options,
  chosen,
  onChange,
}: {
  label: string;
  options: readonly (readonly [value: string, word: string])[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) {
  return (
    <fieldset className={css.picks}>
      <legend>{label}</legend>
      {options.map(([value, word]) => (
        <label key={value} className={css.check}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
          {word}
        </label>
      ))}
    </fieldset>
  );
}
