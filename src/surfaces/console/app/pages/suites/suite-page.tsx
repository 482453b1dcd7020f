import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { api, ask, useQuery } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { Id } from '../../kit/copy.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Facts, Page } from '../../kit/page.tsx';
import { PageTabs, type Tabs, tabFrom } from '../../kit/page-tabs.tsx';
import { LoadingPage } from '../../kit/query-state.tsx';
import { StateBadge, StateMark } from '../../kit/state.tsx';
import { stateOfRun } from '../runs/states.ts';
import type { SuiteSearch, SuiteTab } from './address.ts';
import { CasesTab } from './cases-tab.tsx';
import { gateLabels, policyText, type Suite, scheduleState } from './suite-labels.ts';

const HistoryTab = tabFrom(() => import('./history-tab.tsx'), 'HistoryTab');
const ScheduleTab = tabFrom(() => import('./schedule-tab.tsx'), 'ScheduleTab');
const WaiversTab = tabFrom(() => import('./waivers-tab.tsx'), 'WaiversTab');
const SettingsTab = tabFrom(() => import('./settings-tab.tsx'), 'SettingsTab');
const FileTab = tabFrom(() => import('./file-tab.tsx'), 'FileTab');
const Launch = partFrom(() => import('./launch.tsx'), 'Launch');
const CasePanel = partFrom(() => import('./editor/case-panel.tsx'), 'CasePanel');

const route = '/projects/$projectId/suites/$suiteId';

const tabs: Tabs<SuiteTab, [suite: Suite]> = {
  cases: ['Cases', (suite) => <CasesTab suite={suite} />],
  history: ['History', (suite) => <HistoryTab suite={suite} />],
  schedule: ['Schedule', (suite) => <ScheduleTab suite={suite} />],
  waivers: ['Waivers', (suite) => <WaiversTab suite={suite} />],
  settings: ['Settings', (suite) => <SettingsTab suite={suite} />],
  file: ['File', (suite) => <FileTab suite={suite} />],
};

export function SuitePage() {
  const which = useParams({ from: route });
  const { tab, case: open, run } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const suite = useQuery(ask('getEvalSuite', which));
  const list = (
    <Link to="/projects/$projectId/suites" params={which}>
      Suites
    </Link>
  );
  if (!suite.data) return <LoadingPage of={suite} title="Suite" crumbs={[list]} />;
  const set = (changed: SuiteSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const name = suite.data.name ?? suite.data.id;
  return (
    <Page
      title={name}
      crumbs={[list]}
      mark={<LastRun which={which} />}
      actions={
        <>
          <ApiExample operation="getEvalSuite" input={which} />
          <DeleteSuite suite={suite.data} />
          <Button variant="primary" onClick={() => set({ run: true })}>
            Run suite
          </Button>
        </>
      }
    >
      {suite.data.description && <p className={common.description}>{suite.data.description}</p>}
      <SuiteFacts suite={suite.data} />
      {suite.data.managedBy === 'ci' && (
        <Note>
          {suite.data.declaredId === undefined
            ? 'This suite is managed by its CI reporter; its cases are the reported ones.'
            : 'This suite is managed by a file. Edit the file and sync it on the File tab or with drydock evals run.'}
        </Note>
      )}
      <PageTabs label="About this suite" tabs={tabs} given={[suite.data]} chosen={tab} />
      {run && <Launch suite={suite.data} onClose={() => set({ run: undefined })} />}
      {open !== undefined && (
        <CasePanel suite={suite.data} caseId={open} onClose={() => set({ case: undefined })} />
      )}
    </Page>
  );
}

function LastRun({ which }: { which: { projectId: string; suiteId: string } }) {
  const { data } = useQuery(ask('listEvalSuiteRuns', { ...which, coverage: 'suite', limit: 1 }));
  const [last] = data?.items ?? [];
  if (!last) return null;
  return (
    <Link to="/projects/$projectId/runs/$runId" params={{ projectId: which.projectId, runId: last.id }}>
      <StateBadge state={stateOfRun(last)} />
      <span className="visually-hidden"> in the last run</span>
    </Link>
  );
}

function SuiteFacts({ suite }: { suite: Suite }) {
  const { environment, executionConfig, hosts, environmentIds } = suite;
  const { state, words } = scheduleState(suite);
  return (
    <Facts
      facts={[
        ['ID', <Id key="id" value={suite.id} />],
        ['Servers', environment.servers.join(', ')],
        ['Model', executionConfig?.model],
        ['Clients', hosts.map(({ name }) => name).join(', ')],
        [
          'Environments',
          environmentIds.length > 0 ? counted(environmentIds.length, 'environment') : undefined,
        ],
        ['Pass criteria', policyText(suite)],
        ['Gate', gateLabels(suite).join('; ') || 'none'],
        [
          'Schedule',
          <Link key="schedule" from={route} to="." search={{ tab: 'schedule' }}>
            <StateMark state={state}>{words}</StateMark>
          </Link>,
        ],
      ]}
    />
  );
}

function DeleteSuite({ suite }: { suite: Suite }) {
  const { id: suiteId, projectId, declaredId } = suite;
  const navigate = useNavigate();
  const input = { projectId, suiteId, declaredSuiteId: declaredId };
  return (
    <ConfirmButton
      variant="quiet"
      label="Delete suite"
      question={`Delete ${suite.name ?? 'this suite'}?`}
      write={() => api.deleteEvalSuite(input)}
      says="Suite deleted"
      onDone={() => navigate({ to: '/projects/$projectId/suites', params: { projectId } })}
      example={<ApiExample operation="deleteEvalSuite" input={input} />}
    >
      <WhatIsLost suite={suite} />
    </ConfirmButton>
  );
}

function WhatIsLost({ suite: { id: suiteId, projectId, schedule, managedBy } }: { suite: Suite }) {
  const cases = useQuery(ask('listEvalCases', { projectId, suiteId }));
  const runs = useQuery(ask('listEvalSuites', { projectId }));
  const totals = runs.data?.items.find(({ id }) => id === suiteId)?.totals;
  return (
    <>
      <p>
        {cases.data ? counted(cases.data.items.length, 'case') : 'Its cases'} and{' '}
        {totals ? counted(totals.runs, 'run') : 'all of its runs'} are lost, with their traces.
      </p>
      {schedule.enabled && <p>Its schedule is deleted too.</p>}
      {managedBy === 'ci' && <p>The next CI sync recreates this suite, empty.</p>}
    </>
  );
}
