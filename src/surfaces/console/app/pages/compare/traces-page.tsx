import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Waterfall } from '../../charts/waterfall.tsx';
import common from '../../kit/common.module.css';
import { Empty, Note } from '../../kit/notice.tsx';
import { count } from '../../kit/numbers.ts';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { duration } from '../../kit/time.tsx';
import { hasNoTrace, runOf, traceOf, trialOf } from '../runs/queries.ts';
import { stateOfTrial } from '../runs/states.ts';
import { Checks, checksOf } from '../trial/checks.tsx';
import { Conversation } from '../trial/conversation.tsx';
import { answerOfTurn, messageOfSpan, messagesOf, spansOf, type Trace } from '../trial/trace.ts';
import css from './compare.module.css';

const route = '/projects/$projectId/runs/$runId/compare/traces';

/** Compares two trials of a case, one per run: transcripts, tool calls and checks. */
export function TracesPage() {
  const { projectId, runId } = useParams({ from: route });
  const { with: other, base, trial } = useSearch({ from: route });
  const crumbs = [
    <Link key="run" to="/projects/$projectId/runs/$runId" params={{ projectId, runId }}>
      Run
    </Link>,
    <Link
      key="compare"
      to="/projects/$projectId/runs/$runId/compare"
      params={{ projectId, runId }}
      search={{ with: other }}
    >
      Compare
    </Link>,
  ];
  const named = useQuery({
    ...trialOf({
      projectId,
      runId: trial === undefined ? (other ?? '') : runId,
      trialId: trial ?? base ?? '',
    }),
    enabled: trial !== undefined || (base !== undefined && other !== undefined),
  });
  const title = named.data ? `${named.data.title}, traces` : 'Compare traces';
  return (
    <Page title={title} crumbs={crumbs}>
      <div className={common.halves}>
        <Side projectId={projectId} runId={other} trialId={base} words="Before" />
        <Side projectId={projectId} runId={runId} trialId={trial} words="Now" />
      </div>
    </Page>
  );
}

function Side({
  projectId,
  runId = '',
  trialId,
  words,
}: {
  projectId: string;
  runId: string | undefined;
  trialId: string | undefined;
  words: string;
}) {
  const which = { projectId, runId, trialId: trialId ?? '' };
  const enabled = trialId !== undefined && runId !== '';
  const run = useQuery({ ...runOf({ projectId, runId }), enabled: runId !== '' });
  const iteration = useQuery({ ...trialOf(which), enabled });
  const trace = useQuery({ ...traceOf(which), enabled });
  const number = run.data ? ` in run #${run.data.runNumber}` : '';
  const title = `${words}${number}`;
  if (!enabled || trialId === undefined)
    return (
      <Section title={title}>
        <Empty title="No trial">This run has no trial of the case.</Empty>
      </Section>
    );
  if (!iteration.isSuccess) return <QueryState of={iteration} lines={10} />;
  const { iterationNumber, durationMs, tokensUsed, model, actualToolCalls } = iteration.data;
  return (
    <Section
      title={
        <span className={css.sideTitle}>
          {title}
          <StateBadge state={stateOfTrial(iteration.data)} />
        </span>
      }
      actions={
        <>
          <ApiExample operation="getEvalIterationTrace" input={{ projectId, runId, iterationId: trialId }} />
          <Link to="/projects/$projectId/runs/$runId/trials/$trialId" params={{ projectId, runId, trialId }}>
            Trial {iterationNumber}
          </Link>
        </>
      }
    >
      <Facts
        facts={[
          ['Model', model],
          ['Duration', durationMs === null ? undefined : duration(durationMs)],
          ['Tool calls', count(actualToolCalls.length)],
          ['Tokens', tokensUsed === null ? undefined : count(tokensUsed)],
        ]}
      />
      {hasNoTrace(trace.error) ? <Note>{trace.error?.message}</Note> : <QueryState of={trace} lines={8} />}
      {trace.data && <TraceSummary trace={trace.data} checks={checksOf(iteration.data)} />}
    </Section>
  );
}

function TraceSummary({ trace, checks }: { trace: Trace; checks: ReturnType<typeof checksOf> }) {
  const spans = useMemo(() => spansOf(trace), [trace]);
  const messages = useMemo(() => messagesOf(trace), [trace]);
  const [chosen, choose] = useState<string>();
  const [read, setRead] = useState<number>();
  const span = spans.find(({ id }) => id === chosen);
  return (
    <>
      {spans.length > 0 && (
        <Waterfall
          bars={spans}
          chosen={chosen}
          onChoose={(id) => {
            setRead(undefined);
            choose(id);
          }}
        />
      )}
      <h3>Checks</h3>
      <Checks checks={checks} onShow={(turn) => setRead(answerOfTurn(messages, turn))} />
      <h3>Conversation</h3>
      <Conversation messages={messages} meant={read ?? (span && messageOfSpan(span, spans, messages))} />
    </>
  );
}
