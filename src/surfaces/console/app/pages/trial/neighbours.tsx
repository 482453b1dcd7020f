import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { Button } from '../../kit/button.tsx';
import { NextIcon, PreviousIcon } from '../../kit/icons.tsx';
import { chosenTrials, isFiltered } from '../runs/rows.ts';
import { useTrials } from '../runs/use-trials.ts';
import css from './trial.module.css';

const route = '/projects/$projectId/runs/$runId/trials/$trialId';

/**
 * Previous and next trial among those shown on the run page; without a filter there, among the failed ones.
 * Shortcuts: K and J.
 */
export function Neighbours({
  projectId,
  runId,
  trialId,
}: {
  projectId: string;
  runId: string;
  trialId: string;
}) {
  const { span: _span, step: _step, ...search } = useSearch({ from: route });
  const navigate = useNavigate();
  const { rows } = useTrials({ projectId, runId });
  const filtered = isFiltered(search);
  const all = chosenTrials(rows, {
    ...search,
    state: undefined,
    stage: undefined,
    tool: undefined,
    model: undefined,
    q: undefined,
  });
  const fitting = new Set(
    chosenTrials(rows, filtered ? search : { ...search, state: 'failed' }).map(({ trial }) => trial.id),
  );
  const here = all.findIndex(({ trial }) => trial.id === trialId);
  const before = all.slice(0, Math.max(0, here)).findLast(({ trial }) => fitting.has(trial.id));
  const after = all.slice(here + 1).find(({ trial }) => fitting.has(trial.id));
  const go = (to: typeof before): void => {
    if (to) void navigate({ to: route, params: { projectId, runId, trialId: to.trial.id }, search });
  };
  const press = useEffectEvent((event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === 'j') go(after);
    if (event.key === 'k') go(before);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    globalThis.addEventListener('keydown', listen);
    return () => globalThis.removeEventListener('keydown', listen);
  }, []);
  const what = filtered ? 'shown' : 'failing';
  return (
    <span className={css.neighbours}>
      <Button disabled={!before} onClick={() => go(before)} title={`Previous ${what} trial (K)`}>
        <PreviousIcon />
        Previous {what}
      </Button>
      <Button disabled={!after} onClick={() => go(after)} title={`Next ${what} trial (J)`}>
        Next {what}
        <NextIcon />
      </Button>
    </span>
  );
}

/** Shortcuts are disabled while typing in a field. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  );
}
