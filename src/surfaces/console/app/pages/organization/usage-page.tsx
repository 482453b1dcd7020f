import { useState } from 'react';
import { ask, useQueries, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Days } from '../../charts/days.tsx';
import { Meter } from '../../charts/meter.tsx';
import common from '../../kit/common.module.css';
import { Note, Skeleton } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { QueryError, QueryState } from '../../kit/query-state.tsx';
import { isOpen } from '../runs/states.ts';
import { Budget } from './budget.tsx';
import { limitText } from './limit-labels.ts';
import { runsSince } from './month.ts';
import css from './organization.module.css';
import { type OrganizationContext, OrganizationPage } from './organization-page.tsx';
import { trialsByDay } from './trials-by-day.ts';

/** Maximum number of projects whose runs are loaded. */
const maxProjects = 10;

export function UsagePage() {
  return (
    <OrganizationPage name="Usage">
      {(context) => (
        <>
          <Budget context={context} />
          <Use context={context} />
        </>
      )}
    </OrganizationPage>
  );
}

function Use({ context: { organizationId } }: { context: OrganizationContext }) {
  const projects = useQuery(ask('listProjects', {}));
  const budget = useQuery(ask('getSpendBudget', { organizationId }));
  const [opened] = useState(Date.now);
  const month = budget.data?.windowStartAt;
  const items = projects.data?.items ?? [];
  const read = useQueries({
    queries: items
      .slice(0, maxProjects)
      .map(({ id }) => ({ ...runsSince(id, month ?? 0), enabled: month !== undefined })),
  });
  if (projects.isError) return <QueryError of={projects} />;
  const runs = read.flatMap(({ data }) => data?.runs ?? []);
  const partly = read.some(({ data }) => data?.all === false);
  const failed = read.find(({ isError }) => isError);
  return (
    <>
      <Limits
        projectId={items[0]?.id}
        credits={budget.data?.spentCredits}
        openRuns={read.every(({ isSuccess }) => isSuccess) ? runs.filter(isOpen).length : undefined}
      />
      <Section title="Trials by day, this month">
        {month === undefined || read.some(({ isPending }) => isPending) ? (
          <Skeleton lines={5} />
        ) : (
          runs.length > 0 && (
            <Days
              label="Completed trials, by the day their run started"
              unit="trials"
              days={trialsByDay(runs, month, opened)}
            />
          )
        )}
        {failed && <QueryError of={failed} />}
        <Note>
          {runs.length === 0 ? 'No runs were' : counted(runs.length, 'run was', 'runs were')} started this
          month in the projects you have access to.
          {partly && ' Only the latest runs of each project are counted.'}
          {items.length > maxProjects && ` Only ${maxProjects} projects are counted.`}
        </Note>
      </Section>
    </>
  );
}

function Limits({
  projectId,
  credits,
  openRuns,
}: {
  projectId: string | undefined;
  credits: number | undefined;
  openRuns: number | undefined;
}) {
  const which = { projectId: projectId ?? '' };
  const capabilities = useQuery({
    ...ask('getProjectCapabilities', which),
    enabled: projectId !== undefined,
  });
  if (projectId === undefined) return null;
  const plan = capabilities.data?.plan;
  const used: Record<string, number | undefined> = { credits, concurrentEvalRuns: openRuns };
  return (
    <Section
      title={plan ? `Limits of plan ${plan.name}` : 'Limits'}
      actions={<ApiExample operation="getProjectCapabilities" input={which} />}
    >
      <QueryState of={capabilities} lines={4} />
      {plan && (
        <div className={css.bars}>
          {Object.entries(plan.limits).map(([limit, allowed]) => {
            const now = used[limit];
            const words = limitText(limit);
            return now === undefined ? (
              <p key={limit} className={css.allowed}>
                <span>{words}</span>
                <span className={common.soft}>
                  {allowed === null ? 'no limit' : `${count(allowed)} allowed`}
                </span>
              </p>
            ) : (
              <Meter key={limit} name={words} used={now} limit={allowed} figure={count} />
            );
          })}
        </div>
      )}
    </Section>
  );
}
