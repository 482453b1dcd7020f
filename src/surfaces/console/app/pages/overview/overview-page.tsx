import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, type Output, useQueries, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import common from '../../kit/common.module.css';
import { CopyButton } from '../../kit/copy.tsx';
import { Note, Skeleton } from '../../kit/notice.tsx';
import { counted, percent } from '../../kit/numbers.ts';
import { Page, Section } from '../../kit/page.tsx';
import { QueryError } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { healthOf } from '../servers/health.ts';
import { attentionOf, failingRuns, type Item } from './attention.ts';
import { FirstSteps } from './first-steps.tsx';
import css from './overview.module.css';
import { Spend } from './spend.tsx';
import { Trend } from './trend.tsx';
import { csvOf, type Point, trendsOf } from './trends.ts';

/** Maximum number of runs whose waivers, and of servers whose health, are requested. */
const maxAsked = 10;
const lastRuns = 100;

export function OverviewPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/' });
  const projects = useQuery(ask('listProjects', {}));
  const suites = useQuery(ask('listEvalSuites', { projectId }));
  const runs = useQuery(ask('listEvalRuns', { projectId, coverage: 'suite', limit: lastRuns }));
  const servers = useQuery(ask('listProjectServers', { projectId }));
  const project = projects.data?.items.find(({ id }) => id === projectId);
  const failed = [suites, runs, servers].find(({ isError }) => isError);
  const loaded = suites.data && runs.data && servers.data;
  return (
    <Page
      title={project?.name ?? 'Overview'}
      name="Overview"
      actions={
        <ApiExample operation="listEvalRuns" input={{ projectId, coverage: 'suite', limit: lastRuns }} />
      }
    >
      {failed && <QueryError of={failed} />}
      {!loaded && !failed && <Skeleton lines={8} />}
      {loaded && runs.data.items.length === 0 && (
        <FirstSteps
          projectId={projectId}
          servers={servers.data.items}
          suites={suites.data.items}
          first={projects.data?.items[0]?.id}
        />
      )}
      {loaded && (
        <>
          <Attention
            projectId={projectId}
            suites={suites.data.items}
            runs={runs.data.items}
            servers={servers.data.items}
          />
          {runs.data.items.length > 0 && (
            <Trends projectId={projectId} suites={suites.data.items} runs={runs.data.items} />
          )}
        </>
      )}
      {project && <Spend organizationId={project.organizationId} />}
    </Page>
  );
}

type Suites = Output<'listEvalSuites'>['items'];
type Runs = Output<'listEvalRuns'>['items'];

function Attention({
  projectId,
  suites,
  runs,
  servers,
}: {
  projectId: string;
  suites: Suites;
  runs: Runs;
  servers: Output<'listProjectServers'>['items'];
}) {
  const [now] = useState(() => Date.now());
  const failing = failingRuns(runs).slice(0, maxAsked);
  const waivers = useQueries({
    queries: failing.map(({ id: runId }) => ask('getGateWaiver', { projectId, runId })),
  });
  const inUse = servers.filter(({ enabled }) => enabled);
  const looks = useQueries({ queries: inUse.slice(0, maxAsked).map(({ id }) => healthOf(projectId, id)) });
  const items = attentionOf({
    suites,
    runs,
    waivers: new Map(failing.map(({ id }, at) => [id, waivers[at]?.data?.waiver ?? null])),
    servers: inUse.flatMap(({ id, name }, at) => {
      const health = looks[at]?.data;
      return health ? [{ id, name, health }] : [];
    }),
    now,
  });
  const looking = [...waivers, ...looks].some(({ isLoading }) => isLoading);
  const unseen = inUse.length - Math.min(inUse.length, maxAsked);
  return (
    <Section title="Needs attention">
      <div aria-live="polite">
        {items.length === 0 && looking && <StateMark state="running">checking servers</StateMark>}
        {items.length === 0 && !looking && <StateMark state="passed">All clear</StateMark>}
        {items.length > 0 && (
          <ul className={common.box}>
            {items.map((item) => (
              <li key={item.key} className={css.item}>
                <StateMark state={item.state} />
                <ItemLink projectId={projectId} item={item} />
                <span className={common.twoLines}>{item.words}</span>
                <span className={common.soft}>
                  <Time at={item.at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {unseen > 0 && (
        <Note>
          {counted(unseen, 'more server is', 'more servers are')} checked on{' '}
          <Link to="/projects/$projectId/servers" params={{ projectId }}>
            the Servers page
          </Link>
          .
        </Note>
      )}
    </Section>
  );
}

function ItemLink({ projectId, item: { runId, serverId, name } }: { projectId: string; item: Item }) {
  if (runId !== undefined)
    return (
      <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }}>
        {name}
      </Link>
    );
  return (
    <Link to="/projects/$projectId/servers/$serverId" params={{ projectId, serverId: serverId ?? '' }}>
      {name}
    </Link>
  );
}

type Row = Point & { suite: string };

function Trends({ projectId, suites, runs }: { projectId: string; suites: Suites; runs: Runs }) {
  const trends = trendsOf(runs);
  const named = suites.map(({ id, name }) => ({ id, name: name ?? id, points: trends.get(id) ?? [] }));
  const rows: Row[] = named.flatMap(({ name, points }) => points.map((point) => ({ ...point, suite: name })));
  return (
    <Section title="Trials passed, by suite" actions={<CopyButton text={csvOf(rows)} label="Copy as CSV" />}>
      <div className={css.multiples}>
        {named.map(({ id, name, points }) => (
          <Trend key={id} projectId={projectId} name={name} points={points} />
        ))}
      </div>
      <p className={common.soft}>
        Pass rate by run, 0 to 100%, with the 95% confidence band.
        {runs.length === lastRuns && ` Covers the last ${lastRuns} runs.`}
      </p>
      <details className={css.table}>
        <summary>As a table</summary>
        <Table label="Trials passed, by run" columns={columns} rows={rows} keyOf={({ runId }) => runId} />
      </details>
    </Section>
  );
}

const columns: Column<Row>[] = [
  { name: 'Run', main: true, cell: ({ suite, runNumber }) => `${suite} #${runNumber}` },
  { name: 'Passed', figure: true, cell: ({ passed, trials }) => `${passed} of ${trials}` },
  {
    name: '95% interval',
    figure: true,
    cell: ({ lower, upper }) =>
      `${percent(Math.round(lower * 100) / 100)} to ${percent(Math.round(upper * 100) / 100)}`,
  },
  { name: 'Started', figure: true, cell: ({ at }) => <Time at={at} /> },
];
