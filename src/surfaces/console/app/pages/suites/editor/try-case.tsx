import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answersOf, ask } from '../../../api/ask.ts';
import { api } from '../../../api/client.ts';
import { Problem } from '../../../kit/notice.tsx';
import { StateMark } from '../../../kit/state.tsx';
import { duration } from '../../../kit/time.tsx';
import { stageWord, stateOfTrial } from '../../runs/states.ts';
import type { Suite } from '../suite-words.ts';
import css from './editor.module.css';

const pollEvery = 700;

/** Runs one case once, as it is saved. */
export function useTry(suite: Suite) {
  const queryClient = useQueryClient();
  const { projectId, id: suiteId, environmentIds } = suite;
  return useMutation({
    mutationFn: (caseId: string) =>
      api.createEvalRun({ projectId, body: tryOf(suiteId, caseId, environmentIds) }),
    onSuccess: () => queryClient.invalidateQueries(answersOf('listEvalSuiteRuns')),
  });
}

function tryOf(suiteId: string, caseId: string, environmentIds: readonly string[]) {
  const [environmentId] = environmentIds;
  return {
    suiteId,
    caseIds: [caseId],
    iterationOverride: 1,
    notes: 'Tried from the editor',
    purpose: 'try' as const,
    // With several the service asks which.
    ...(environmentIds.length > 1 && environmentId !== undefined && { environmentId }),
  };
}

/** What came of it, as soon as it is there. */
export function TryResult({ trying, projectId }: { trying: ReturnType<typeof useTry>; projectId: string }) {
  const runId = trying.data?.runId ?? '';
  const states = useQuery({
    ...ask('listEvalRunTrialStates', { projectId, runId }),
    enabled: runId !== '',
    refetchInterval: ({ state }) =>
      state.data?.items.every(({ status }) => status !== 'pending' && status !== 'running')
        ? false
        : pollEvery,
  });
  if (trying.isError) return <Problem error={trying.error} />;
  if (states.isError) return <Problem error={states.error} retry={() => void states.refetch()} />;
  if (trying.isIdle) return null;
  const trials = states.data?.items ?? [];
  return (
    <ul className={css.tried} aria-label="What came of it" aria-live="polite">
      {trials.length === 0 && (
        <li>
          <StateMark state="pending" />
        </li>
      )}
      {trials.map((trial) => (
        <li key={trial.id}>
          <StateMark state={stateOfTrial(trial)} />
          {trial.result !== 'passed' &&
            trial.firstFailedStage !== undefined &&
            ` at ${stageWord(trial.firstFailedStage)}`}
          {trial.durationMs !== null && <span className={css.soft}> {duration(trial.durationMs)}</span>}{' '}
          <Link
            to="/projects/$projectId/runs/$runId/trials/$trialId"
            params={{ projectId, runId, trialId: trial.id }}
          >
            Open the trial
          </Link>
        </li>
      ))}
    </ul>
  );
}
