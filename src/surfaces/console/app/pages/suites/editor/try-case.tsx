import { Link } from '@tanstack/react-router';
import { api, ask, useQuery, useSubmit } from '../../../api/index.ts';
import common from '../../../kit/common.module.css';
import { Problem } from '../../../kit/notice.tsx';
import { QueryError } from '../../../kit/query-state.tsx';
import { StateMark } from '../../../kit/state.tsx';
import { duration } from '../../../kit/time.tsx';
import { stageWord, stateOfTrial } from '../../runs/states.ts';
import type { Suite } from '../suite-labels.ts';
import css from './editor.module.css';

/** Poll interval in milliseconds while the trial is in progress. */
const pollEvery = 700;

/** Runs the saved case once. */
export function useTry(suite: Suite) {
  const { projectId, id: suiteId, environmentIds } = suite;
  return useSubmit((caseId: string) =>
    api.createEvalRun({ projectId, body: tryOf(suiteId, caseId, environmentIds) }),
  );
}

function tryOf(suiteId: string, caseId: string, environmentIds: readonly string[]) {
  const [environmentId] = environmentIds;
  return {
    suiteId,
    caseIds: [caseId],
    iterationOverride: 1,
    notes: 'Run from the editor',
    purpose: 'try' as const,
    // If the suite has several environments, the service requires one.
    ...(environmentIds.length > 1 && environmentId !== undefined && { environmentId }),
  };
}

/** Shows the result once it is available. */
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
  if (states.isError) return <QueryError of={states} />;
  if (trying.isIdle) return null;
  const trials = states.data?.items ?? [];
  return (
    <ul className={css.tried} aria-label="Result" aria-live="polite">
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
          {trial.durationMs !== null && <span className={common.soft}> {duration(trial.durationMs)}</span>}{' '}
          <Link
            to="/projects/$projectId/runs/$runId/trials/$trialId"
            params={{ projectId, runId, trialId: trial.id }}
          >
            Open trial
          </Link>
        </li>
      ))}
    </ul>
  );
}
