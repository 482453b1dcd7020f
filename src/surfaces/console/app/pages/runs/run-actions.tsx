import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button, linkClass } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { counted } from '../../kit/numbers.ts';
import { complain, say } from '../../kit/toast.tsx';
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

/** The same cases, as they are now, with the same model in the same place. */
function RunAgain({ run, projectId }: { run: Run; projectId: string }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const starting = useMutation({
    mutationFn: async () => {
      const { suiteId } = run;
      const [states, cases] = await Promise.all([
        queryClient.fetchQuery(ask('listEvalRunTrialStates', { projectId, runId: run.id, limit: 5000 })),
        queryClient.fetchQuery(ask('listEvalCases', { projectId, suiteId })),
      ]);
      const tried = new Set(states.cases.map(({ testCaseId }) => testCaseId));
      const left = cases.items.filter(({ id }) => tried.has(id)).map(({ id }) => id);
      return api.createEvalRun({
        projectId,
        body: { ...placeOf(run), ...casesOf(left, cases.items.length) },
      });
    },
    onSuccess: async ({ runId }) => {
      say('Run started');
      await navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId } });
    },
    onError: complain,
  });
  return (
    <Button busy={starting.isPending} onClick={() => starting.mutate()}>
      Run again
    </Button>
  );
}

/** More than can be named are all of them, or as good as. */
const mostNamed = 500;

function casesOf(left: string[], all: number): { caseIds?: string[] } {
  return left.length > 0 && left.length < all && left.length <= mostNamed ? { caseIds: left } : {};
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
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => api.cancelEvalRun({ projectId, runId: run.id }),
    onSuccess: async () => {
      setAsking(false);
      say('Run cancelled');
      await queryClient.invalidateQueries(answersOf('getEvalRun'));
      await queryClient.invalidateQueries(answersOf('listEvalRunTrialStates'));
    },
    onError: complain,
  });
  const left = run.progress.trials - run.progress.finished;
  return (
    <>
      <Button onClick={() => setAsking(true)}>Cancel run</Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title="Cancel this run?"
          verb="Cancel run"
          busy={cancelling.isPending}
          onConfirm={() => cancelling.mutate()}
          lost={
            <p>
              {counted(left, 'trial')} will not be run or be stopped halfway; those that ended keep their
              results. The run gets no verdict, and whoever waits for it, in CI too, is told that it was
              cancelled.
            </p>
          }
        />
      )}
    </>
  );
}

/** A run of its own; what it costs is what the failed cases cost. */
function Rerun({ run, projectId }: { run: Run; projectId: string }) {
  const navigate = useNavigate();
  const starting = useMutation({
    mutationFn: () => api.rerunEvalRun({ projectId, runId: run.id, body: {} }),
    onSuccess: async ({ runId }) => {
      say('Run started');
      await navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId } });
    },
    onError: complain,
  });
  return (
    <Button busy={starting.isPending} onClick={() => starting.mutate()}>
      Run failed cases again
    </Button>
  );
}
