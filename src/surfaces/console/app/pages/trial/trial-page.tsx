import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { type Output, useQuery } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Waterfall } from '../../charts/waterfall.tsx';
import { Button } from '../../kit/button.tsx';
import { Json } from '../../kit/code.tsx';
import { Id } from '../../kit/copy.tsx';
import { Note, Skeleton } from '../../kit/notice.tsx';
import { cost, count } from '../../kit/numbers.ts';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { LoadingPage, QueryState } from '../../kit/query-state.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { duration, Time } from '../../kit/time.tsx';
import { hasNoTrace, runOf, traceOf, trialOf } from '../runs/queries.ts';
import { stateOfTrial } from '../runs/states.ts';
import { Checks, checksOf } from './checks.tsx';
import { Conversation } from './conversation.tsx';
import { isTyping, Neighbours } from './neighbours.tsx';
import { RawTrace } from './raw.tsx';
import { recordingsOf } from './recordings.ts';
import { Stages } from './stages.tsx';
import { answerOfTurn, messageOfSpan, messagesOf, spansOf, type Trace } from './trace.ts';
import css from './trial.module.css';
import { widgetsOf } from './widgets.tsx';

const Recording = partFrom(
  () => import('./recording.tsx'),
  'Recording',
  () => <Skeleton lines={8} />,
);

const route = '/projects/$projectId/runs/$runId/trials/$trialId';

type Iteration = Output<'getEvalIteration'>;

export function TrialPage() {
  const { projectId, runId, trialId } = useParams({ from: route });
  const search = useSearch({ from: route });
  const { span: _span, step: _step, raw: _raw, ...filters } = search;
  const which = { projectId, runId, iterationId: trialId };
  const run = useQuery(runOf({ projectId, runId }));
  const iteration = useQuery(trialOf({ projectId, runId, trialId }));
  const trace = useQuery(traceOf({ projectId, runId, trialId }));
  const crumbs = [
    <Link key="runs" to="/projects/$projectId/runs" params={{ projectId }}>
      Runs
    </Link>,
    <Link key="run" to="/projects/$projectId/runs/$runId" params={{ projectId, runId }} search={filters}>
      Run{run.data ? ` #${run.data.runNumber}` : ''}
    </Link>,
  ];
  if (!iteration.data) return <LoadingPage of={iteration} title="Trial" crumbs={crumbs} lines={10} />;
  const { title, iterationNumber } = iteration.data;
  return (
    <Page
      title={`${title}, trial ${iterationNumber}`}
      crumbs={crumbs}
      mark={<StateBadge state={stateOfTrial(iteration.data)} />}
      actions={
        <>
          <ApiExample operation="getEvalIterationTrace" input={which} />
          <Neighbours projectId={projectId} runId={runId} trialId={trialId} />
        </>
      }
    >
      <TrialFacts
        iteration={iteration.data}
        edit={
          run.data && (
            <Link
              to="/projects/$projectId/suites/$suiteId"
              params={{ projectId, suiteId: run.data.suiteId }}
              search={{ case: iteration.data.testCaseId }}
            >
              Open case
            </Link>
          )
        }
      />
      {iteration.data.stageResults && <Stages stages={iteration.data.stageResults} />}
      {iteration.data.error !== null && <Note>{iteration.data.error}</Note>}
      {iteration.data.warnings?.map(({ code, message }) => (
        <Note key={code}>{message}</Note>
      ))}
      {iteration.data.scoreIntegrity !== undefined && (
        <Note>Some reported scores do not match their definition and are not shown.</Note>
      )}
      {hasNoTrace(trace.error) ? <Note>{trace.error?.message}</Note> : <QueryState of={trace} lines={8} />}
      {trace.isError && (
        <Section title="Checks">
          <Checks checks={checksOf(iteration.data)} onShow={() => {}} />
        </Section>
      )}
      {trace.data && (
        <TraceView
          key={trialId}
          which={which}
          trace={trace.data}
          iteration={iteration.data}
          reread={async () => (await trace.refetch()).data}
        />
      )}
    </Page>
  );
}

function TraceView({
  which,
  trace,
  iteration,
  reread,
}: {
  which: { projectId: string; runId: string; iterationId: string };
  trace: Trace;
  iteration: Iteration;
  reread: () => Promise<Trace | undefined>;
}) {
  const search = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const spans = useMemo(() => spansOf(trace), [trace]);
  const messages = useMemo(() => messagesOf(trace), [trace]);
  const checks = useMemo(() => checksOf(iteration), [iteration]);
  const recordings = useMemo(() => recordingsOf(trace), [trace]);
  const { byCall, others } = useMemo(() => widgetsOf(trace, messages), [trace, messages]);
  const chosen = spans.find(({ id }) => id === search.span);
  // Message of the check selected last; takes precedence over the selected span until a span is selected.
  const [read, setRead] = useState<number>();
  const meant = read ?? (chosen && messageOfSpan(chosen, spans, messages));
  const choose = (span: string | undefined): void => {
    setRead(undefined);
    void navigate({ search: (before) => ({ ...before, span, step: undefined }), replace: true });
  };
  const chooseStep = (step: string): void =>
    void navigate({ search: (before) => ({ ...before, step, span: undefined }), replace: true });
  const turnRaw = (): void =>
    void navigate({
      search: (before) => ({ ...before, raw: before.raw ? undefined : (true as const) }),
      replace: true,
    });
  const press = useEffectEvent((event: KeyboardEvent): void => {
    if (event.key === 'r' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target))
      turnRaw();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    globalThis.addEventListener('keydown', listen);
    return () => globalThis.removeEventListener('keydown', listen);
  }, []);
  return (
    <>
      {recordings.length > 0 && (
        <Recording
          which={which}
          recordings={recordings}
          spans={spans}
          span={chosen}
          step={search.step}
          onStep={chooseStep}
          reread={reread}
        />
      )}
      <Section
        title="Timeline"
        actions={
          <Button aria-pressed={search.raw === true} onClick={turnRaw} title="Shortcut: R">
            {search.raw ? 'Hide raw' : 'Show raw'}
          </Button>
        }
      >
        {spans.length > 0 ? (
          <Waterfall bars={spans} chosen={chosen?.id} onChoose={choose} />
        ) : (
          <Note>The trace has no timing.</Note>
        )}
      </Section>
      {trace['raw'] !== undefined && (
        <Section title="As reported">
          <Json value={trace['raw']} label="trace as reported" />
        </Section>
      )}
      {search.raw && <RawTrace trace={trace} span={chosen} />}
      <div className={css.sides}>
        <Section title="Conversation">
          <Conversation messages={messages} meant={meant} after={byCall} />
          {others}
        </Section>
        <Section title="Checks">
          <Checks checks={checks} onShow={(turn) => setRead(answerOfTurn(messages, turn))} />
        </Section>
      </div>
    </>
  );
}

function TrialFacts({ iteration, edit }: { iteration: Iteration; edit: ReactNode }) {
  const { id, model, provider, startedAt, durationMs, tokensUsed, usage, attempts, actualToolCalls } =
    iteration;
  const spent = usage?.['estimatedCostUsd'];
  return (
    <Facts
      facts={[
        ['ID', <Id key="id" value={id} />],
        ['Case', edit],
        ['Model', provider === 'none' ? 'none' : model],
        ['Started', startedAt === null ? undefined : <Time key="started" at={startedAt} />],
        ['Duration', durationMs === null ? undefined : duration(durationMs)],
        ['Tool calls', count(actualToolCalls.length)],
        ['Tokens', tokensUsed === null ? undefined : count(tokensUsed)],
        ['Cost', typeof spent === 'number' ? cost(spent) : 'unknown'],
        ['Attempts', attempts > 1 ? count(attempts) : undefined],
      ]}
    />
  );
}
