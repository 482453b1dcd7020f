import { Link, useNavigate } from '@tanstack/react-router';
import { api, ask, fetchQuery, useAction } from '../../api/index.ts';
import { Button, linkClass } from '../../kit/button.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { counted } from '../../kit/numbers.ts';
import type { Run } from './decision.ts';
import { isOpen } from './states.ts';

export function RunActions({ run, projectId }: { run: Run; projectId: string }) {
  if (isOpen(run)) return <CancelRun run={run} projectId={projectId} />;
  return (
    <>
      <Link
        to="/projects/$projectId/runs/$runId/compare"
        params={{ projectId, runId: run.id }}
        className={linkClass}
      >
        Compare
      </Link>
      {run.source !== 'sdk' && <RunAgain run={run} projectId={projectId} />}
      {run.result === 'failed' && run.source !== 'sdk' && <Rerun run={run} projectId={projectId} />}
    </>
  );
}

/** Starts a run with the same model and target, and the same cases unless they are too many to name. */
function RunAgain({ run, projectId }: { run: Run; projectId: string }) {
  const navigate = useNavigate();
  const starting = useAction(
    async () => {
      const { suiteId } = run;
      const [states, cases] = await Promise.all([
        fetchQuery(ask('listEvalRunTrialStates', { projectId, runId: run.id, limit: 5000 })),
        fetchQuery(ask('listEvalCases', { projectId, suiteId })),
      ]);
      const tried = new Set(states.cases.map(({ testCaseId }) => testCaseId));
      const left = cases.items.filter(({ id }) => tried.has(id)).map(({ id }) => id);
      return api.createEvalRun({
        projectId,
        body: { ...placeOf(run), ...casesOf(left, cases.items.length) },
      });
    },
    {
      says: 'Run started',
      onDone: ({ runId }) =>
        navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId } }),
    },
  );
  return <Button action={starting}>Run again</Button>;
}

/** Maximum number of cases named in a request; above it, the whole suite runs. */
const maxNamed = 500;

function casesOf(left: string[], all: number): { caseIds?: string[] } {
  return left.length > 0 && left.length < all && left.length <= maxNamed ? { caseIds: left } : {};
}

function placeOf({ suiteId, environment, client, modelSource, effectiveModelId }: Run) {
  return {
    suiteId,
    ...(environment && { environmentId: environment.id, ephemeralEnvironment: true }),
    ...(!environment && client?.id != null && { namedHostId: client.id }),
    ...(modelSource === 'override' && effectiveModelId !== undefined && { model: effectiveModelId }),
  };
}

function CancelRun({ run, projectId }: { run: Run; projectId: string }) {
  const left = run.progress.trials - run.progress.finished;
  return (
    <ConfirmButton
      label="Cancel run"
      question="Cancel this run?"
      keep="Keep running"
      write={() => api.cancelEvalRun({ projectId, runId: run.id })}
      says="Run cancelled"
    >
      <p>
        {counted(left, 'trial')} will be skipped or stopped. Completed trials keep their results. The run gets
        no verdict, and CI is told that it was cancelled.
      </p>
    </ConfirmButton>
  );
}

/** Starts a separate run of the failed cases. */
function Rerun({ run, projectId }: { run: Run; projectId: string }) {
  const navigate = useNavigate();
  const starting = useAction(() => api.rerunEvalRun({ projectId, runId: run.id, body: {} }), {
    says: 'Run started',
    onDone: ({ runId }) => navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId } }),
  });
  return <Button action={starting}>Rerun failed cases</Button>;
}
