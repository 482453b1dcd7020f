import { Button } from './button.tsx';
import { TextInput } from './field.tsx';
import css from './form.module.css';

export interface Pair {
  name: string;
  value: string;
}

export function recordOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(
    pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  );
}

/** Names and secret values. Values are masked, stored encrypted and never returned. */
export function Pairs({
  legend,
  noun,
  hint,
  pairs,
  onChange,
}: {
  legend: string;
  noun: string;
  hint?: string;
  pairs: readonly Pair[];
  onChange: (pairs: Pair[]) => void;
}) {
  const set = (at: number, changed: Partial<Pair>): void =>
    onChange(pairs.map((pair, place) => (place === at ? { ...pair, ...changed } : pair)));
  return (
    <fieldset className={css.group}>
      <legend>{legend}</legend>
      {pairs.map(({ name, value }, at) => (
        <div key={at} className={css.pair}>
          <TextInput
            aria-label={`Name of ${noun} ${at + 1}`}
            placeholder="Name"
            value={name}
            onChange={({ target }) => set(at, { name: target.value })}
          />
          <TextInput
            type="password"
            autoComplete="new-password"
            aria-label={`Value of ${noun} ${at + 1}`}
            placeholder="Value"
            value={value}
            onChange={({ target }) => set(at, { value: target.value })}
          />
          <Button
            variant="quiet"
            aria-label={`Remove ${noun} ${at + 1}`}
            onClick={() => onChange(pairs.toSpliced(at, 1))}
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={() => onChange([...pairs, { name: '', value: '' }])}>Add {noun}</Button>
      </div>
      {hint && <span className={css.hint}>{hint}</span>}
    </fieldset>
  );
}
