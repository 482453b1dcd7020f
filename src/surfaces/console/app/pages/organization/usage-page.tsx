import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/ask.ts';
import { Days } from '../../charts/days.tsx';
import { Meter } from '../../charts/meter.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { Same } from '../../same/same.tsx';
import { isOpen } from '../runs/states.ts';
import { Budget } from './budget.tsx';
import { limitWords } from './limit-words.ts';
import { runsSince } from './month.ts';
import css from './organization.module.css';
import { OrganizationPage, type Standing } from './organization-page.tsx';
import { trialsByDay } from './trials-by-day.ts';

/** Projects whose runs are read for this page. */
const mostProjects = 10;

export function UsagePage() {
  return (
    <OrganizationPage name="Usage">
      {(standing) => (
        <>
          <Budget standing={standing} />
          <Use standing={standing} />
        </>
      )}
    </OrganizationPage>
  );
}

function Use({ standing: { organizationId } }: { standing: Standing }) {
  const projects = useQuery(ask('listProjects', {}));
  const budget = useQuery(ask('getSpendBudget', { organizationId }));
  const [opened] = useState(Date.now);
  const month = budget.data?.windowStartAt;
  const items = projects.data?.items ?? [];
  const read = useQueries({
    queries: items
      .slice(0, mostProjects)
      .map(({ id }) => ({ ...runsSince(id, month ?? 0), enabled: month !== undefined })),
  });
  if (projects.isError) return <Problem error={projects.error} retry={() => void projects.refetch()} />;
  const runs = read.flatMap(({ data }) => data?.runs ?? []);
  const partly = items.length > mostProjects || read.some(({ data }) => data?.all === false);
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
              label="Trials that ended, by the day their run was started"
              unit="trials"
              days={trialsByDay(runs, month, opened)}
            />
          )
        )}
        {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
        <Note>
          {runs.length === 0 ? 'No run was' : counted(runs.length, 'run was', 'runs were')} started this month
          in the projects that you may enter.
          {partly && ' There are more than this page reads: the latest are counted.'}
        </Note>
      </Section>
    </>
  );
}

/** What the plan allows, and what of it is used where that can be known. */
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
      title={plan ? `Limits of the plan ${plan.name}` : 'Limits'}
      actions={<Same operation="getProjectCapabilities" input={which} />}
    >
      {capabilities.isPending && <Skeleton lines={4} />}
      {capabilities.isError && (
        <Problem error={capabilities.error} retry={() => void capabilities.refetch()} />
      )}
      {plan && (
        <div className={css.bars}>
          {Object.entries(plan.limits).map(([limit, allowed]) => {
            const now = used[limit];
            const words = limitWords(limit);
            return now === undefined ? (
              <p key={limit} className={css.allowed}>
                <span>{words}</span>
                <span className={css.soft}>
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
