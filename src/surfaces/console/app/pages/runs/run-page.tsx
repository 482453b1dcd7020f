import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ask } from '../../api/ask.ts';
import type { Live } from '../../api/live.ts';
import { partFrom } from '../../api/parts.ts';
import { Rate } from '../../charts/rate.tsx';
import { Id } from '../../kit/copy.tsx';
import { LiveMark } from '../../kit/live-mark.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { cost, count } from '../../kit/numbers.ts';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { StateBadge, StateMark } from '../../kit/state.tsx';
import { duration, Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import { type Run, reasonsOf, verdictSentence } from './decision.ts';
import { Failures } from './failures.tsx';
import { Filters } from './filters.tsx';
import { Grid } from './grid.tsx';
import { runOf } from './queries.ts';
import { chosenRows } from './rows.ts';
import { RunActions } from './run-actions.tsx';
import css from './runs.module.css';
import { ShareRun } from './share.tsx';
import { coverageWords, isOpen, modelWords, starterWords, stateOfRun } from './states.ts';
import { useHeard, useTrials } from './use-trials.ts';
import { RevokeWaiver, WaiveRun } from './waivers.tsx';

const Analysis = partFrom(
  () => import('./analysis.tsx'),
  'Analysis',
  () => <Skeleton lines={3} />,
);
const GateSection = partFrom(() => import('./gate.tsx'), 'GateSection');

const route = '/projects/$projectId/runs/$runId';
/** Events say what happens; this is for what they do not say, like what it costs so far. */
const readEvery = 15_000;
const analysedEvery = 2_000;

/** Whether a judge or whoever looks for causes is at work. */
function isAnalysed({ judges, insights }: Run): boolean {
  return [judges.goalCompletion.status, judges.groundedness.status, insights?.status].includes('pending');
}

export function RunPage() {
  const which = useParams({ from: route });
  const { projectId } = which;
  const query = useQuery({
    ...runOf(which),
    refetchInterval: ({ state }) => {
      if (!state.data) return false;
      if (isAnalysed(state.data)) return analysedEvery;
      return isOpen(state.data) ? readEvery : false;
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
  if (!run)
    return (
      <Page title="Run" name="Run" crumbs={[list]}>
        {query.isError ? (
          <Problem error={query.error} retry={() => void query.refetch()} back={list} />
        ) : (
          <Skeleton lines={10} />
        )}
      </Page>
    );
  const name = `${suite.data?.name ?? 'Run'} #${run.runNumber}`;
  return (
    <Page
      title={name}
      name={name}
      crumbs={[list]}
      mark={<StateBadge state={stateOfRun(run)} />}
      actions={
        <>
          <Same operation="getEvalRun" input={which} />
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
  const { heard, finished, live } = useHeard(which, open);
  const { query, rows, complete } = useTrials(which, heard);
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
      <Section title="Cases and trials" actions={<Same operation="listEvalRunTrialStates" input={which} />}>
        <Filters rows={rows} shown={chosen.length} search={search} />
        {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
        {query.isPending && <Skeleton lines={8} />}
        {rows.length > 0 && (
          <Grid run={run} rows={chosen} search={search} projectId={projectId} severalModels={severalModels} />
        )}
        {!complete && rows.length > 0 && !query.isError && (
          <p className={css.soft} role="status">
            Reading trials: {count(rows.reduce((sum, { trials }) => sum + trials.length, 0))} of{' '}
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

/** What was decided and why; while it runs, how far it is. */
function Decision({ run, live, projectId }: { run: Run; live: Live; projectId: string }) {
  const { trials, finished } = run.progress;
  const statistics = run.statistics?.trials;
  const waiver = run.gateWaiver;
  return (
    <div className={css.decision}>
      <p className={css.sentence} aria-live="polite">
        {verdictSentence(run)}
      </p>
      {reasonsOf(run).map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {run.warnings?.map(({ code, message }) => (
        <Note key={code}>{message}</Note>
      ))}
      {statistics && statistics.trials > 0 && (
        <p className={css.overall}>
          <Rate passed={statistics.passed} trials={statistics.trials} /> trials passed
        </p>
      )}
      {waiver?.active && (
        <p className={css.overall}>
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
        <div className={css.overall}>
          <progress className={css.wide} max={trials} value={finished} aria-label="Trials that ended" />
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
        ['Id', <Id key="id" value={run.id} />],
        ['Covers', coverageWords(run)],
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
        ['Took', startedAt !== null && completedAt !== null ? duration(completedAt - startedAt) : undefined],
        ['Model', modelWords(run)],
        ['Client', client?.name],
        ['Environment', environment?.name],
        ['Started by', starterWords(run)],
        ['Commit', typeof commit === 'string' ? <code key="commit">{commit.slice(0, 12)}</code> : undefined],
        ['Tokens', usage.modelCalls > 0 ? count(usage.totalTokens) : undefined],
        ['Cost', usage.estimatedCostUsd === null ? 'not known' : cost(usage.estimatedCostUsd)],
        ['Notes', notes],
      ]}
    />
  );
}
