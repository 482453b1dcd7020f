import { useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { DrydockError } from '../../../client/error.ts';
import { createVisitClient, type VisitOutput } from '../../../client/visit.ts';
import { Button } from '../kit/button.tsx';
import { Note } from '../kit/notice.tsx';
import { count, counted, percent } from '../kit/numbers.ts';
import { Facts } from '../kit/page.tsx';
import { type State, StateBadge } from '../kit/state.tsx';
import { type Column, Table } from '../kit/table.tsx';
import { plain } from '../kit/text.ts';
import { duration, Time } from '../kit/time.tsx';
import { Card, MessagePage } from './card.tsx';
import { ReadOnly } from './read-only.tsx';
import { ConformanceReport } from './shared-conformance.tsx';
import '../base.css';
import css from './shared.module.css';

type Shared = VisitOutput<'readShared'>;
type SharedEval = Extract<Shared, { kind: 'evalRun' }>;
type Run = SharedEval['run'];
type Case = Run['cases'][number];

const client = createVisitClient({
  baseUrl: location.origin,
  headers: { 'x-drydock-console': '1' },
  maxWait: 5_000,
});

function Page({ link }: { link: string }) {
  const [shared, setShared] = useState<Shared>();
  const [problem, setProblem] = useState<unknown>();
  const read = useCallback(() => {
    client.readShared({ body: { link } }).then(setShared, setProblem);
  }, [link]);
  useEffect(read, [read]);
  if (shared?.kind === 'evalRun') return <Report {...shared} />;
  if (shared) return <ConformanceReport {...shared} />;
  if (problem === undefined) return null;
  if (problem instanceof DrydockError && [400, 404].includes(problem.status))
    return <MessagePage>This link is not valid. Ask the person who sent it for a new one</MessagePage>;
  return (
    <Card title="This page cannot be loaded right now">
      {problem instanceof DrydockError && <p>{problem.message}.</p>}
      <Button variant="primary" onClick={read}>
        Try again
      </Button>
    </Card>
  );
}

function Report({ title, expiresAt, run }: SharedEval) {
  const { summary, cases, models } = run;
  const over = run.completedAt !== null;
  return (
    <main className={css.page}>
      <title>{plain(title)}</title>
      <header className={css.head}>
        <h1 dir="auto">{title}</h1>
        <StateBadge state={stateOf(run)} />
      </header>
      <Facts
        facts={[
          ['Run', count(run.runNumber)],
          [over ? 'Ended' : 'Started', <Time key="at" at={run.completedAt ?? run.createdAt} />],
          [models.length === 1 ? 'Model' : 'Models', models.join(', ')],
        ]}
      />
      {summary ? <Summary {...summary} /> : <p className={css.soft}>No trial has ended yet.</p>}
      {run.warnings?.map(({ code, message }) => (
        <Note key={code}>{message}</Note>
      ))}
      <Table label="Cases" columns={columns} rows={cases.map((one, at) => ({ ...one, at }))} keyOf={keyOf} />
      {run.truncated && (
        <p className={css.soft}>Counts are partial: there are more trials than are counted here.</p>
      )}
      <ReadOnly expiresAt={expiresAt}>The conversations of the trials are not shared.</ReadOnly>
    </main>
  );
}

function Summary({ total, passed, failed, passRate }: NonNullable<Run['summary']>) {
  const words = `${count(passed)} of ${counted(total, 'trial')} passed`;
  const share = (part: number): number => (total > 0 ? (part / total) * 100 : 0);
  return (
    <figure className={css.summary}>
      <figcaption>
        <strong>{words}</strong>
        <span className={css.soft}>
          {passRate === undefined ? '' : percent(Math.round(passRate * 1000) / 1000)}
        </span>
      </figcaption>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={words}>
        <rect width={100} height={10} className={css.rest} />
        <rect width={share(passed)} height={10} className={css.passed} />
        <rect x={share(passed)} width={share(failed)} height={10} className={css.failed} />
      </svg>
    </figure>
  );
}

type Row = Case & { at: number };

function keyOf({ at }: Row): string {
  return `${at}`;
}

const columns: Column<Row>[] = [
  { name: 'Case', main: true, cell: ({ title }) => title },
  { name: 'Model', cell: ({ model }) => model },
  { name: 'Passed', figure: true, cell: ({ passed, trials }) => `${count(passed)} of ${count(trials)}` },
  {
    name: 'Median duration',
    figure: true,
    cell: ({ medianMs }) => (medianMs === null ? undefined : duration(medianMs)),
  },
  {
    name: 'Failed at',
    cell: ({ failedAt }) => failedAt.map((stage) => stages[stage] ?? stage).join(', ') || undefined,
  },
];

const stages: Record<string, string> = {
  connection: 'connecting',
  discovery: 'tool discovery',
  selection: 'tool choice',
  call: 'tool call',
  response: 'tool result',
  userValue: 'final answer',
};

function stateOf({ status, result }: Run): State {
  if (status === 'pending' || status === 'running' || status === 'grading' || status === 'cancelled')
    return status;
  return status === 'timed_out' ? 'timedOut' : (result ?? 'notEstablished');
}

globalThis.addEventListener('hashchange', () => location.reload());
// In the URL fragment, which is never sent to a server or logged.
const link = location.hash.slice(1);
createRoot(document.getElementById('app') as HTMLElement).render(<Page link={link} />);
