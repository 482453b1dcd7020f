import { Select } from '../../kit/field.tsx';
import { FilterInput } from '../../kit/filter-input.tsx';
import { type Kind, kinds, type RegistrySearch } from './address.ts';
import { kindLabels } from './labels.ts';
import css from './registry.module.css';

/** Filters are stored in the URL. */
export function Filters({
  search: { q, source, kind, installable },
  sources,
  onChange,
}: {
  search: RegistrySearch;
  sources: readonly { source: string }[];
  onChange: (changed: RegistrySearch) => void;
}) {
  const named = new Set([...sources.map((one) => one.source), ...(source === undefined ? [] : [source])]);
  return (
    <search className={css.filters}>
      <FilterInput
        aria-label="Search the directory"
        placeholder="Search"
        maxLength={200}
        className={css.words}
        value={q}
        onChange={(words) => onChange({ q: words })}
      />
      {named.size > 1 && (
        <Select
          aria-label="Source"
          value={source ?? ''}
          onChange={({ target }) => onChange({ source: target.value || undefined })}
          options={[['', 'Any source'], ...[...named].map((name) => [name, name] as const)]}
        />
      )}
      <Select
        aria-label="Kind"
        value={kind ?? ''}
        onChange={({ target }) => onChange({ kind: (target.value || undefined) as Kind | undefined })}
        options={[['', 'Any kind'], ...kinds.map((one) => [one, kindLabels[one]] as const)]}
      />
      <label>
        <input
          type="checkbox"
          checked={installable === true}
          onChange={({ target }) => onChange({ installable: target.checked || undefined })}
        />
        Installable only
      </label>
    </search>
  );
}
