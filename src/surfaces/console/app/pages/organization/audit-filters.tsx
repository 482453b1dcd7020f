import { Button } from '../../kit/button.tsx';
import { Select, TextInput } from '../../kit/field.tsx';
import { FilterInput } from '../../kit/filter-input.tsx';
import type { AuditSearch } from './address.ts';
import { actionKinds } from './audit-labels.ts';
import css from './organization.module.css';

type Options = readonly (readonly [value: string, label: string])[];

/** Actors that are not accounts. */
const otherActors: Options = [
  ['operator', 'The command line'],
  ['visitor', 'Anonymous'],
];

/** Filters are stored in the URL. */
export function AuditFilters({
  search,
  set,
  actors,
  projects,
}: {
  search: AuditSearch;
  set: (changed: AuditSearch) => void;
  actors: Options;
  projects: Options;
}) {
  const { action, actor, target, project, from, to } = search;
  const filtered = [action, actor, target, project, from, to].some((one) => one !== undefined);
  const kinds: Options = actionKinds.map((kind) => [`${kind}.*`, kind.replaceAll('-', ' ')]);
  return (
    <search className={css.filters}>
      <Select
        aria-label="Kind of action"
        value={action ?? ''}
        onChange={({ target: { value } }) => set({ action: value || undefined })}
        options={[['', 'Any action'], ...kinds, ...missing(action, kinds)]}
      />
      <Select
        aria-label="Actor"
        value={actor ?? ''}
        onChange={({ target: { value } }) => set({ actor: value || undefined })}
        options={[['', 'Anyone'], ...otherActors, ...actors, ...missing(actor, [...otherActors, ...actors])]}
      />
      {(projects.length > 0 || project !== undefined) && (
        <Select
          aria-label="Project"
          value={project ?? ''}
          onChange={({ target: { value } }) => set({ project: value || undefined })}
          options={[['', 'Any project'], ...projects, ...missing(project, projects)]}
        />
      )}
      <FilterInput
        aria-label="Target ID"
        placeholder="Target ID"
        value={target}
        onChange={(value) => set({ target: value })}
      />
      <span>
        From{' '}
        <TextInput
          type="date"
          aria-label="Start date (UTC)"
          value={from ?? ''}
          onChange={({ target: { value } }) => set({ from: value || undefined })}
        />{' '}
        to{' '}
        <TextInput
          type="date"
          aria-label="End date (UTC)"
          value={to ?? ''}
          onChange={({ target: { value } }) => set({ to: value || undefined })}
        />{' '}
        (UTC)
      </span>
      {filtered && (
        <Button
          variant="quiet"
          onClick={() =>
            set({
              action: undefined,
              actor: undefined,
              target: undefined,
              project: undefined,
              from: undefined,
              to: undefined,
            })
          }
        >
          Show all
        </Button>
      )}
    </search>
  );
}

function missing(chosen: string | undefined, options: Options): Options {
  return chosen === undefined || options.some(([value]) => value === chosen) ? [] : [[chosen, chosen]];
}
