import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ask, useQuery } from '../../api/index.ts';
import type { Live } from '../../api/live.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Rate } from '../../charts/rate.tsx';
import common from '../../kit/common.module.css';
import { Id } from '../../kit/copy.tsx';
import { LiveMark } from '../../kit/live-mark.tsx';
import { Note, Skeleton } from '../../kit/notice.tsx';
import { cost, count } from '../../kit/numbers.ts';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { LoadingPage, QueryState } from '../../kit/query-state.tsx';
import { StateBadge, StateMark } from '../../kit/state.tsx';
import { duration, Time } from '../../kit/time.tsx';
import { type Run, reasonsOf, verdictSentence } from './decision.ts';
import { Failures } from './failures.tsx';
import { Filters } from './filters.tsx';
import { Grid } from './grid.tsx';
import { runOf } from './queries.ts';
import { chosenRows } from './rows.ts';
import { RunActions } from './run-actions.tsx';
import css from './runs.module.css';
import { ShareRun } from './share.tsx';
import { coverageText, isOpen, modelText, starterText, stateOfRun } from './states.ts';
import { useLiveUpdates, useTrials } from './use-trials.ts';
import { RevokeWaiver, WaiveRun } from './waivers.tsx';

const Analysis = partFrom(
  () => import('./analysis.tsx'),
  'Analysis',
  () => <Skeleton lines={3} />,
);
const GateSection = partFrom(() => import('./gate.tsx'), 'GateSection');

const route = '/projects/$projectId/runs/$runId';
/** Poll intervals in milliseconds. Events do not report everything, for example not the cost so far. */
const pollEvery = 15_000;
const analysisPollEvery = 2_000;

/** Whether a judge or insights request is pending. */
function isAnalysisPending({ judges, insights }: Run): boolean {
  return [judges.goalCompletion.status, judges.groundedness.status, insights?.status].includes('pending');
}

export function RunPage() {
  const which = useParams({ from: route });
  const { projectId } = which;
  const query = useQuery({
    ...runOf(which),
    refetchInterval: ({ state }) => {
      if (!state.data) return false;
      if (isAnalysisPending(state.data)) return analysisPollEvery;
      return isOpen(state.data) ? pollEvery : false;
    },
  });
  const suite = useQuery({
    ...ask('getEvalSuite', { projectId, suiteId: query.data?.suiteId ?? '' }),
    enabled: query.data !== undefined,
  });
  const list = (
    <Link to="/projects/$projectId/runs" params={which}>
      Runs
    </Link>
  );
  const run = query.data;
  if (!run) return <LoadingPage of={query} title="Run" crumbs={[list]} lines={10} />;
  const name = `${suite.data?.name ?? 'Run'} #${run.runNumber}`;
  return (
    <Page
      title={name}
      crumbs={[list]}
      mark={<StateBadge state={stateOfRun(run)} />}
      actions={
        <>
          <ApiExample operation="getEvalRun" input={which} />
          <ShareRun projectId={projectId} runId={run.id} />
          <RunActions run={run} projectId={projectId} />
        </>
      }
    >
      <RunBody run={run} projectId={projectId} />
    </Page>
  );
}

function RunBody({ run, projectId }: { run: Run; projectId: string }) {
  const search = useSearch({ from: route });
  const which = { projectId, runId: run.id };
  const open = isOpen(run);
  const { updates, finished, live } = useLiveUpdates(which, open);
  const { query, rows, complete } = useTrials(which, updates);
  const chosen = useMemo(() => chosenRows(rows, search), [rows, search]);
  const severalModels = useMemo(() => new Set(rows.map(({ model }) => model)).size > 1, [rows]);
  const ended = Math.max(run.progress.finished, finished);
  return (
    <>
      <Decision
        run={{ ...run, progress: { ...run.progress, finished: ended } }}
        live={live}
        projectId={projectId}
      />
      <RunFacts run={run} projectId={projectId} />
      {!open && <Failures run={run} projectId={projectId} search={search} />}
      <Section
        title="Cases and trials"
        actions={<ApiExample operation="listEvalRunTrialStates" input={which} />}
      >
        <Filters rows={rows} shown={chosen.length} search={search} />
        <QueryState of={query} lines={8} />
        {rows.length > 0 && (
          <Grid run={run} rows={chosen} search={search} projectId={projectId} severalModels={severalModels} />
        )}
        {!complete && rows.length > 0 && !query.isError && (
          <p className={css.soft} role="status">
            Loading trials: {count(rows.reduce((sum, { trials }) => sum + trials.length, 0))} of{' '}
            {count(run.progress.trials)}.
          </p>
        )}
      </Section>
      {!open && (
        <>
          <GateSection {...which} />
          <Analysis run={run} projectId={projectId} />
        </>
      )}
    </>
  );
}

function Decision({ run, live, projectId }: { run: Run; live: Live; projectId: string }) {
  const { trials, finished } = run.progress;
  const statistics = run.statistics?.trials;
  const waiver = run.gateWaiver;
  return (
    <div className={common.tightColumn}>
      <p className={common.sentence} aria-live="polite">
        {verdictSentence(run)}
      </p>
      {reasonsOf(run).map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {run.warnings?.map(({ code, message }) => (
        <Note key={code}>{message}</Note>
      ))}
      {statistics && statistics.trials > 0 && (
        <p className={common.row}>
          <Rate passed={statistics.passed} trials={statistics.trials} /> trials passed
        </p>
      )}
      {waiver?.active && (
        <p className={common.row}>
          <StateMark state="waived" /> until <Time at={waiver.expiresAt} />: {waiver.reason}
          <RevokeWaiver projectId={projectId} waiver={waiver} />
        </p>
      )}
      {run.result === 'failed' && !isOpen(run) && !waiver?.active && (
        <div>
          <WaiveRun projectId={projectId} runId={run.id} />
        </div>
      )}
      {isOpen(run) && (
        <div className={common.row}>
          <progress
            className={common.wideProgress}
            max={trials}
            value={finished}
            aria-label="Completed trials"
          />
          <LiveMark live={live} />
        </div>
      )}
    </div>
  );
}

function RunFacts({ run, projectId }: { run: Run; projectId: string }) {
  const { usage, startedAt, completedAt, environment, client, notes, ciMetadata } = run;
  const commit = ciMetadata?.['commitSha'];
  return (
    <Facts
      facts={[
        ['ID', <Id key="id" value={run.id} />],
        ['Scope', coverageText(run)],
        [
          'Suite',
          <Link
            key="suite"
            to="/projects/$projectId/suites/$suiteId"
            params={{ projectId, suiteId: run.suiteId }}
          >
            Cases and history
          </Link>,
        ],
        ['Started', <Time key="started" at={startedAt ?? run.createdAt} />],
        [
          'Duration',
          startedAt !== null && completedAt !== null ? duration(completedAt - startedAt) : undefined,
        ],
        ['Model', modelText(run)],
        ['Client', client?.name],
        ['Environment', environment?.name],
        ['Started by', starterText(run)],
        ['Commit', typeof commit === 'string' ? <code key="commit">{commit.slice(0, 12)}</code> : undefined],
        ['Tokens', usage.modelCalls > 0 ? count(usage.totalTokens) : undefined],
        ['Cost', usage.estimatedCostUsd === null ? 'unknown' : cost(usage.estimatedCostUsd)],
        ['Notes', notes],
      ]}
    />
  );
}
