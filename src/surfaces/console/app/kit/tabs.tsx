import css from './tabs.module.css';

/** Tabs within a page, without URLs of their own. */
export function TabButtons<Name extends string>({
  label,
  names,
  chosen,
  choose,
}: {
  label: string;
  names: readonly (readonly [Name, string])[];
  chosen: Name;
  choose: (name: Name) => void;
}) {
  return (
    <div role="group" aria-label={label} className={css.buttons}>
      {names.map(([name, word]) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => choose(name)}>
          {word}
        </button>
      ))}
    </div>
  );
}
