import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted, percent } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { Glyph, type State, StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import type { Run } from './decision.ts';
import css from './runs.module.css';

type Insights = NonNullable<Run['insights']>;
type Finding = Insights['findings'][number];
type Goal = Run['judges']['goalCompletion'];
type Graded = Goal['cases'][number] & { unsupportedClaims: string[] };

interface Which {
  projectId: string;
  runId: string;
}

/** What was found out about a run by asking for it: causes, and what a judge makes of the answers. */
export function Analysis({ run, projectId }: { run: Run; projectId: string }) {
  const which = { projectId, runId: run.id };
  return (
    <>
      <InsightsSection insights={run.insights} which={which} />
      <JudgeSection judges={run.judges} which={which} />
    </>
  );
}

function useRequest(what: string, request: () => Promise<unknown>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: request,
    onSuccess: async () => {
      say(what);
      await queryClient.invalidateQueries(answersOf('getEvalRun'));
    },
    onError: complain,
  });
}

function InsightsSection({ insights, which }: { insights: Insights | undefined; which: Which }) {
  const asked = insights !== undefined && insights.status !== 'not_requested';
  const body = asked ? { force: true } : {};
  const asking = useRequest('Insights asked for', () => api.requestEvalRunInsights({ ...which, body }));
  if (insights?.status === 'not_available') return null;
  const pending = insights?.status === 'pending';
  const findings = insights?.findings ?? [];
  return (
    <Section
      title="Insights"
      actions={
        <>
          <Same operation="requestEvalRunInsights" input={{ ...which, body }} />
          <Button busy={asking.isPending || pending} onClick={() => asking.mutate()}>
            {asked ? 'Look again' : 'Find what failures have in common'}
          </Button>
        </>
      }
    >
      {!asked && <Note>Gathers what failed by stage, tool and reason, with causes and remedies.</Note>}
      {pending && <StateMark state="running">being gathered</StateMark>}
      {insights?.error && <Note>{insights.error.message}</Note>}
      {insights?.summary && <p>{insights.summary}</p>}
      {insights?.status === 'completed' && findings.length === 0 && <Note>Nothing stands out.</Note>}
      {findings.length > 0 && (
        <ul className={css.failures}>
          {findings.map((finding) => (
            <FindingLine key={finding.id} finding={finding} which={which} />
          ))}
        </ul>
      )}
      {insights?.generatedAt != null && (
        <p className={css.soft}>
          {counted(insights.coverage.analyzed, 'trial')} looked at, <Time at={insights.generatedAt} />.
        </p>
      )}
    </Section>
  );
}

function FindingLine({ finding, which }: { finding: Finding; which: Which }) {
  const { title, observed, rootCause, recommendation, affected, severity, confidence, evidence } = finding;
  const shown = evidence.find(({ iterationId }) => iterationId !== undefined)?.iterationId;
  return (
    <li className={css.failure}>
      <Glyph state={severity === 'info' ? 'notMeasured' : 'attention'} size={16} label={severity} />
      <div>
        <p className={css.failedCase}>{title}</p>
        <p className={css.why}>{observed}</p>
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
                a trial that shows it
              </Link>
            </>
          )}
        </p>
      </div>
    </li>
  );
}

const mostShown = 20;

function JudgeSection({ judges, which }: { judges: Run['judges']; which: Which }) {
  const { goalCompletion: goal, groundedness } = judges;
  const [all, setAll] = useState(false);
  const body = { enable: true, ...(goal.status !== null && { force: true }) };
  const asking = useRequest('Judge asked', () => api.requestEvalRunJudge({ ...which, body }));
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
          <Same operation="requestEvalRunJudge" input={{ ...which, body }} />
          <Button busy={asking.isPending || pending} onClick={() => asking.mutate()}>
            {goal.status === null ? 'Have it judged' : 'Judge again'}
          </Button>
        </>
      }
    >
      {goal.status === null && (
        <Note>
          A judge says of each trial whether its goal was reached, and whether the answer is grounded in what
          tools said. It never changes the verdict.
        </Note>
      )}
      {pending && (
        <StateMark state="grading">
          {goal.progress ? `${goal.progress.completed} of ${goal.progress.total} judged` : 'at work'}
        </StateMark>
      )}
      {goal.status === 'failed' && <StateMark state="attention">{goal.errorCode ?? 'it failed'}</StateMark>}
      {goal.summary !== null && <p>{goal.summary}</p>}
      {groundedness.summary !== null && <p>{groundedness.summary}</p>}
      {goal.basis === 'wordCount' && (
        <Note>
          No language model judged this run: the offline judge counted words. Its scores are advice and never
          gate.
        </Note>
      )}
      {rows.length > 0 && (
        <Table
          label="What the judge says"
          columns={columnsOf(which, goal)}
          rows={all ? rows : rows.slice(0, mostShown)}
          keyOf={({ iterationId }) => iterationId}
        />
      )}
      {rows.length > mostShown && !all && (
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
  which: Which,
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
      name: basis === 'wordCount' ? 'Goal (advice)' : 'Goal',
      cell: (one) =>
        basis === 'wordCount' && one.status === 'scored' ? (
          <StateMark state="notMeasured">{one.passed ? 'words found' : 'words missing'}</StateMark>
        ) : (
          <StateMark state={stateOf(one)} />
        ),
    },
    {
      name: threshold === null ? 'Score' : `Score, ${percent(threshold)} needed`,
      figure: true,
      cell: ({ score }) => (score === null ? '–' : percent(Math.round(score * 100) / 100)),
    },
    { name: 'Why', cell: ({ reason, errorCode }) => reason ?? errorCode ?? '' },
    { name: 'Not backed by tools', cell: ({ unsupportedClaims }) => unsupportedClaims.join('; ') },
  ];
}

function stateOf({ status, passed }: Graded): State {
  if (status !== 'scored') return status === 'skipped' ? 'skipped' : 'notMeasured';
  return passed ? 'passed' : 'failed';
}
