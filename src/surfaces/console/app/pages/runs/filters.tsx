import { useNavigate } from '@tanstack/react-router';
import { type RunSearch, stages, type TrialFilters, trialStates } from '../../addresses.ts';
import { Button } from '../../kit/button.tsx';
import { Select } from '../../kit/field.tsx';
import { FilterInput } from '../../kit/filter-input.tsx';
import { counted } from '../../kit/numbers.ts';
import { wordFor } from '../../kit/state.tsx';
import { isFiltered, type Row } from './rows.ts';
import css from './runs.module.css';
import { stageWord } from './states.ts';

/** Filters are stored in the URL. */
export function Filters({ rows, shown, search }: { rows: Row[]; shown: number; search: RunSearch }) {
  const navigate = useNavigate({ from: '/projects/$projectId/runs/$runId' });
  const set = (changed: TrialFilters): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const present = (of: (row: Row) => string[]): string[] => [...new Set(rows.flatMap(of))].sort();
  const states = new Set<string>(rows.flatMap(({ trials }) => trials.map(({ state }) => state)));
  const failedAt = new Set(rows.flatMap(({ trials }) => trials.flatMap(({ stage }) => stage ?? [])));
  const tools = present(({ trials }) => trials.flatMap((trial) => trial.tools));
  const models = present(({ model }) => [model]);
  return (
    <search className={css.filters}>
      <FilterInput
        aria-label="Case"
        placeholder="Filter cases"
        className={css.words}
        value={search.q}
        onChange={(q) => set({ q })}
      />
      <Select
        aria-label="State"
        value={search.state ?? ''}
        onChange={(event) => set({ state: (event.target.value || undefined) as TrialFilters['state'] })}
        options={[
          ['', 'Any state'],
          ...trialStates
            .filter((one) => states.has(one) || one === search.state)
            .map((one) => [one, wordFor(one)] as const),
        ]}
      />
      <Select
        aria-label="Failed at"
        value={search.stage ?? ''}
        onChange={(event) => set({ stage: (event.target.value || undefined) as TrialFilters['stage'] })}
        options={[
          ['', 'Any stage'],
          ...stages
            .filter((one) => failedAt.has(one) || one === search.stage)
            .map((one) => [one, `at ${stageWord(one)}`] as const),
        ]}
      />
      {tools.length > 0 && (
        <Select
          aria-label="Tool"
          value={search.tool ?? ''}
          onChange={(event) => set({ tool: event.target.value || undefined })}
          options={[['', 'Any tool'], ...tools.map((one) => [one, one] as const)]}
        />
      )}
      {models.length > 1 && (
        <Select
          aria-label="Model"
          value={search.model ?? ''}
          onChange={(event) => set({ model: event.target.value || undefined })}
          options={[['', 'Any model'], ...models.map((one) => [one, one] as const)]}
        />
      )}
      {isFiltered(search) && (
        <Button
          variant="quiet"
          onClick={() =>
            set({ state: undefined, stage: undefined, tool: undefined, model: undefined, q: undefined })
          }
        >
          Show all
        </Button>
      )}
      <span className={css.shown} role="status">
        {shown === rows.length ? counted(shown, 'case') : `${shown} of ${counted(rows.length, 'case')}`}
      </span>
    </search>
  );
}
