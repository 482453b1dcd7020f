import type { ReactNode } from 'react';
import { api, ask, useAction, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Id } from '../../kit/copy.tsx';
import { Note } from '../../kit/notice.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { directories, isOpen, type ReadinessRun, stateOf } from './labels.ts';
import css from './readiness.module.css';
import { ReadinessReport } from './report.tsx';

/** Poll interval in milliseconds while the run is in progress. */
const pollEvery = 1_500;

/** Polls a run until it ends. */
export function useReadinessRun(projectId: string, runId: string | undefined) {
  return useQuery({
    ...ask('getReadinessRun', { projectId, readinessRunId: runId ?? '' }),
    enabled: runId !== undefined,
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? pollEvery : false),
  });
}

/** One run: its progress, then its report. */
export function ReadinessRunView({
  projectId,
  runId,
  again,
}: {
  projectId: string;
  runId: string;
  again: ReactNode;
}) {
  const which = { projectId, readinessRunId: runId };
  const query = useReadinessRun(projectId, runId);
  const report = useQuery({
    ...ask('getReadinessReport', which),
    enabled: query.data?.hasReport ?? false,
    // Reports are immutable.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!query.isSuccess) return <QueryState of={query} lines={6} back={again} />;
  const run = query.data;
  const { state, word } = stateOf(run);
  return (
    <>
      <Section
        title={
          <span className={css.head}>
            {directories[run.readinessKind]} directory <StateBadge state={state}>{word}</StateBadge>
          </span>
        }
        actions={
          <>
            {run.hasReport && <ApiExample operation="getReadinessReport" input={which} />}
            {isOpen(run) ? <Cancel which={which} /> : again}
          </>
        }
      >
        <RunFacts run={run} />
        <Progress run={run} />
        <Observations run={run} />
      </Section>
      {run.hasReport && <QueryState of={report} lines={10} />}
      {report.data && <ReadinessReport report={report.data} />}
    </>
  );
}

const credentialLabels: Record<NonNullable<ReadinessRun['authMode']>, string> = {
  headless: 'none',
  interactive: 'OAuth grant of a user',
  'provided-token': 'saved headers',
};

function RunFacts({ run }: { run: ReadinessRun }) {
  return (
    <Facts
      facts={[
        ['ID', <Id key="id" value={run.id} />],
        ['Started', <Time key="started" at={run.createdAt} />],
        ['Server URL', <code key="url">{run.serverUrl}</code>],
        [
          'Submission',
          run.submissionMode === null
            ? undefined
            : run.submissionMode === 'mcp-only'
              ? 'Server only'
              : 'Server and skills',
        ],
        ['Credentials', run.authMode === null ? undefined : credentialLabels[run.authMode]],
        ['Rules as of', run.policySnapshotDate],
      ]}
    />
  );
}

function Progress({ run: { status, errorMessage, attemptCount } }: { run: ReadinessRun }) {
  if (status === 'failed')
    return <p role="alert">The run failed{errorMessage === null ? '.' : `: ${errorMessage}`}</p>;
  if (status === 'cancelled')
    return <Note>The run was cancelled before a report was ready. Start another run.</Note>;
  if (status === 'completed') return null;
  return (
    <p role="status">
      {status === 'pending'
        ? 'Queued.'
        : `Checking the server; this takes up to three minutes${attemptCount > 1 ? `; this is attempt ${attemptCount}` : ''}.`}
    </p>
  );
}

const observed: Record<ReadinessRun['llmObservations']['status'], string | undefined> = {
  'not-requested': undefined,
  pending: 'A model then reviews the tools.',
  completed: undefined,
  'billing-blocked': 'The model review was skipped: the daily insights are used up.',
  'provider-failed': 'The model did not respond, so its observations are missing.',
  'invalid-output': 'The model response was invalid, so its observations are missing.',
};

function Observations({ run: { llmObservations, status } }: { run: ReadinessRun }) {
  const words = observed[llmObservations.status];
  if (words === undefined || status === 'failed' || status === 'cancelled') return null;
  return (
    <Note>
      {words} {llmObservations.detail}
    </Note>
  );
}

function Cancel({ which }: { which: { projectId: string; readinessRunId: string } }) {
  const cancelling = useAction(() => api.cancelReadinessRun(which), { says: 'Run cancelled' });
  return (
    <>
      <ApiExample operation="cancelReadinessRun" input={which} />
      <Button action={cancelling}>Cancel run</Button>
    </>
  );
}
