import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, useAction } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { InsightsSection } from '../../kit/insights-section.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted, percent } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { Glyph, type State, StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import type { Run } from './decision.ts';
import css from './runs.module.css';

type Insights = NonNullable<Run['insights']>;
type Finding = Insights['findings'][number];
type Goal = Run['judges']['goalCompletion'];
type Graded = Goal['cases'][number] & { unsupportedClaims: string[] };

interface RunRef {
  projectId: string;
  runId: string;
}

export function Analysis({ run, projectId }: { run: Run; projectId: string }) {
  const which = { projectId, runId: run.id };
  return (
    <>
      <RunInsights insights={run.insights} which={which} />
      <JudgeSection judges={run.judges} which={which} />
    </>
  );
}

function RunInsights({ insights, which }: { insights: Insights | undefined; which: RunRef }) {
  const asked = insights !== undefined && insights.status !== 'not_requested';
  const body = asked ? { force: true } : {};
  if (insights?.status === 'not_available') return null;
  const findings = insights?.findings ?? [];
  return (
    <InsightsSection
      example={<ApiExample operation="requestEvalRunInsights" input={{ ...which, body }} />}
      asked={asked}
      verb="Find common causes"
      about="Groups failures by stage, tool and reason, with causes and fixes."
      pending={insights?.status === 'pending'}
      problem={insights?.error?.message}
      request={() => api.requestEvalRunInsights({ ...which, body })}
    >
      {insights?.summary && <p>{insights.summary}</p>}
      {insights?.status === 'completed' && findings.length === 0 && <Note>No findings.</Note>}
      {findings.length > 0 && (
        <ul className={common.box}>
          {findings.map((finding) => (
            <FindingLine key={finding.id} finding={finding} which={which} />
          ))}
        </ul>
      )}
      {insights?.generatedAt != null && (
        <p className={css.soft}>
          {counted(insights.coverage.analyzed, 'trial')} analyzed, <Time at={insights.generatedAt} />.
        </p>
      )}
    </InsightsSection>
  );
}

function FindingLine({ finding, which }: { finding: Finding; which: RunRef }) {
  const { title, observed, rootCause, recommendation, affected, severity, confidence, evidence } = finding;
  const shown = evidence.find(({ iterationId }) => iterationId !== undefined)?.iterationId;
  return (
    <li className={common.boxItem}>
      <Glyph state={severity === 'info' ? 'notMeasured' : 'attention'} size={16} label={severity} />
      <div>
        <p className={css.failedCase}>{title}</p>
        <p className={common.threeLines}>{observed}</p>
        {rootCause !== undefined && <p>Probably: {rootCause}</p>}
        <p>{recommendation}</p>
        <p className={css.soft}>
          {affected.count} of {counted(affected.total, 'trial')}, {severity} severity, {confidence} confidence
          {shown !== undefined && (
            <>
              {' · '}
              <Link
                to="/projects/$projectId/runs/$runId/trials/$trialId"
                params={{ ...which, trialId: shown }}
              >
                example trial
              </Link>
            </>
          )}
        </p>
      </div>
    </li>
  );
}

const maxShown = 20;

function JudgeSection({ judges, which }: { judges: Run['judges']; which: RunRef }) {
  const { goalCompletion: goal, groundedness } = judges;
  const [all, setAll] = useState(false);
  const body = { enable: true, ...(goal.status !== null && { force: true }) };
  const asking = useAction(() => api.requestEvalRunJudge({ ...which, body }), { says: 'Judge started' });
  const claims = new Map(groundedness.cases.map((one) => [one.iterationId, one.unsupportedClaims]));
  const rows = goal.cases
    .map((one) => ({ ...one, unsupportedClaims: claims.get(one.iterationId) ?? [] }))
    .toSorted((a, b) => Number(a.passed) - Number(b.passed));
  const pending = goal.status === 'pending' || groundedness.status === 'pending';
  return (
    <Section
      title="Judge"
      actions={
        <>
          <ApiExample operation="requestEvalRunJudge" input={{ ...which, body }} />
          <Button busy={asking.isPending || pending} onClick={() => asking.mutate()}>
            {goal.status === null ? 'Run judge' : 'Run judge again'}
          </Button>
        </>
      }
    >
      {goal.status === null && (
        <Note>
          The judge scores each trial: whether its goal was reached and whether the answer is grounded in tool
          results. It never changes the verdict.
        </Note>
      )}
      {pending && (
        <StateMark state="grading">
          {goal.progress ? `${goal.progress.completed} of ${goal.progress.total} judged` : 'running'}
        </StateMark>
      )}
      {goal.status === 'failed' && <StateMark state="attention">{goal.errorCode ?? 'failed'}</StateMark>}
      {goal.summary !== null && <p>{goal.summary}</p>}
      {groundedness.summary !== null && <p>{groundedness.summary}</p>}
      {goal.basis === 'wordCount' && (
        <Note>
          Judged by the offline judge, which compares words. Its scores are advisory and never affect a gate.
        </Note>
      )}
      {rows.length > 0 && (
        <Table
          label="Judge results"
          columns={columnsOf(which, goal)}
          rows={all ? rows : rows.slice(0, maxShown)}
          keyOf={({ iterationId }) => iterationId}
        />
      )}
      {rows.length > maxShown && !all && (
        <div>
          <Button onClick={() => setAll(true)}>Show all {counted(rows.length, 'trial')}</Button>
        </div>
      )}
      {goal.modelUsed !== null && (
        <p className={css.soft}>
          By <code>{goal.modelUsed}</code>
          {goal.generatedAt !== null && (
            <>
              , <Time at={goal.generatedAt} />
            </>
          )}
          .
        </p>
      )}
    </Section>
  );
}

function columnsOf(
  which: RunRef,
  { threshold, basis }: Pick<Run['judges']['goalCompletion'], 'threshold' | 'basis'>,
): Column<Graded>[] {
  return [
    {
      name: 'Case',
      main: true,
      cell: ({ caseKey, iterationId }) => (
        <Link
          to="/projects/$projectId/runs/$runId/trials/$trialId"
          params={{ ...which, trialId: iterationId }}
        >
          {caseKey}
        </Link>
      ),
    },
    {
      name: basis === 'wordCount' ? 'Goal (advisory)' : 'Goal',
      cell: (one) =>
        basis === 'wordCount' && one.status === 'scored' ? (
          <StateMark state="notMeasured">{one.passed ? 'keywords found' : 'keywords missing'}</StateMark>
        ) : (
          <StateMark state={stateOf(one)} />
        ),
    },
    {
      name: threshold === null ? 'Score' : `Score, ${percent(threshold)} required`,
      figure: true,
      cell: ({ score }) => (score === null ? '–' : percent(Math.round(score * 100) / 100)),
    },
    { name: 'Reason', cell: ({ reason, errorCode }) => reason ?? errorCode ?? '' },
    { name: 'Unsupported claims', cell: ({ unsupportedClaims }) => unsupportedClaims.join('; ') },
  ];
}

function stateOf({ status, passed }: Graded): State {
  if (status !== 'scored') return status === 'skipped' ? 'skipped' : 'notMeasured';
  return passed ? 'passed' : 'failed';
}
