import { Link } from '@tanstack/react-router';
import { api, ask, type Output, useAction, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Json } from '../../kit/code.tsx';
import common from '../../kit/common.module.css';
import { Id } from '../../kit/copy.tsx';
import { Fold } from '../../kit/fold.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { Note } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Facts, Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { duration, Time } from '../../kit/time.tsx';
import css from './conformance.module.css';
import { type ConformanceRun, isOpen, reasons, scoreText, sourceText, suiteName } from './labels.ts';
import { SuiteTable } from './suite-table.tsx';

type Report = Output<'getConformanceReport'>;
type Check = Report['checks'][number];

/** Poll interval in milliseconds while the run is in progress. */
const pollEvery = 1_500;

/** Polls a run until it ends. */
export function useConformanceRun(projectId: string, runId: string | undefined) {
  return useQuery({
    ...ask('getConformanceRun', { projectId, conformanceRunId: runId ?? '' }),
    enabled: runId !== undefined,
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? pollEvery : false),
  });
}

/** Results of a run: its suites, and failed checks. `linked` adds a link to the server. */
export function ConformanceRunView({ run, linked = false }: { run: ConformanceRun; linked?: boolean }) {
  return (
    <>
      <RunFacts run={run} linked={linked} />
      {run.reason !== null && <Note>{reasons[run.reason] ?? run.reason}</Note>}
      {isOpen(run) && (
        <p role="status">
          {run.status === 'pending'
            ? 'Queued: an organization has at most two runs in progress.'
            : `${count(run.suites.filter(({ status }) => status === 'completed').length)} of ${counted(run.suites.length, 'suite')} ended.`}
        </p>
      )}
      <SuiteTable suites={run.suites} />
      {run.suites.some(({ status }) => status === 'completed') && <Failing run={run} />}
    </>
  );
}

function RunFacts({ run, linked }: { run: ConformanceRun; linked: boolean }) {
  const { passed, failed, pending, skipped, startedAt, completedAt, ci, serverId, projectId } = run;
  return (
    <>
      <Facts
        facts={[
          ['Score', run.score === null && isOpen(run) ? undefined : scoreText(run.score)],
          ['Passed', count(passed)],
          ['Failed', count(failed)],
          ['Pending', count(pending)],
          ['Skipped', count(skipped)],
          ['Source', sourceText(run)],
          ['Started by', run.actorLabel],
          ['ID', <Id key="id" value={run.id} />],
          [
            'Server',
            linked && serverId !== null ? (
              <Link
                key="server"
                to="/projects/$projectId/servers/$serverId"
                params={{ projectId, serverId }}
                search={{ tab: 'conformance' }}
              >
                Saved server
              </Link>
            ) : undefined,
          ],
          ['Started', <Time key="started" at={startedAt ?? run.createdAt} />],
          [
            'Duration',
            run.hosted && startedAt !== null && completedAt !== null
              ? duration(completedAt - startedAt)
              : undefined,
          ],
          ['Protocol revision', run.protocolVersion],
          ['Suite version', run.engineVersion],
        ]}
      />
      {ci !== null && <Fold summary="Reported from">{() => <Json value={ci} label="CI metadata" />}</Fold>}
    </>
  );
}

function Failing({ run: { projectId, id, suites } }: { run: ConformanceRun }) {
  const which = { projectId, conformanceRunId: id };
  const ended = suites.filter(({ status }) => status === 'completed').length;
  // Refetched whenever another suite ends.
  const report = useQuery({
    ...ask('getConformanceReport', which),
    queryKey: ['getConformanceReport', which, ended],
    placeholderData: (before: Report | undefined) => before,
  });
  return (
    <Section
      title="Checks that failed or could not run"
      actions={<ApiExample operation="getConformanceReport" input={which} />}
    >
      <QueryState of={report} lines={3} />
      {report.data?.checks.length === 0 && (
        <Note>No failures in {counted(report.data.totalCases, 'check')}.</Note>
      )}
      {report.data && report.data.checks.length > 0 && (
        <ul className={common.boxedList}>
          {report.data.checks.map((check, at) => (
            <CheckLine key={at} check={check} />
          ))}
        </ul>
      )}
      {report.data?.truncated && (
        <Note>
          {count(report.data.checks.length)} of {count(report.data.totalFailingCases)} are shown, failures
          first.
        </Note>
      )}
    </Section>
  );
}

/** Titles and messages are untrusted: they come from the reporter and the server. */
function CheckLine({ check }: { check: Check }) {
  const message = check.error ?? check.skipReason;
  return (
    <li className={css.check}>
      <StateMark state={check.status === 'failed' ? 'failed' : 'skipped'}>
        {check.status === 'failed' ? 'failed' : 'could not run'}
      </StateMark>
      <div className={css.words}>
        <strong dir="auto">{check.title ?? check.id}</strong>
        {check.pending && <span className={common.softSmall}>pending (not counted)</span>}
        {message !== null && <LongText text={message} first={600} className={css.message} />}
        <p className={common.source}>
          <span>{suiteName(check.suiteKind)}</span>
          <span dir="auto">{check.groupTitle ?? check.groupId}</span>
          {check.category !== null && <span dir="auto">{check.category}</span>}
          <code>{check.id}</code>
          {check.durationMs !== null && <span>{duration(check.durationMs)}</span>}
        </p>
      </div>
    </li>
  );
}

export function CancelConformance({ run: { projectId, id } }: { run: ConformanceRun }) {
  const which = { projectId, conformanceRunId: id };
  const cancelling = useAction(() => api.cancelConformanceRun(which), { says: 'Run cancelled' });
  return <Button action={cancelling}>Cancel run</Button>;
}
