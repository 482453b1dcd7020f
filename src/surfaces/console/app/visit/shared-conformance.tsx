import type { VisitOutput } from '../../../client/visit.ts';
import { count } from '../kit/numbers.ts';
import { Facts } from '../kit/page.tsx';
import { type State, StateBadge } from '../kit/state.tsx';
import { type Column, Table } from '../kit/table.tsx';
import { plain } from '../kit/text.ts';
import { Time } from '../kit/time.tsx';
import { ReadOnly } from './read-only.tsx';
import css from './shared.module.css';

type Shared = Extract<VisitOutput<'readShared'>, { kind: 'conformanceRun' }>;
type Suite = Shared['run']['suites'][number];
type Check = Shared['run']['checks'][number] & { at: number };

/** How a server did in a conformance run. */
export function ConformanceReport({ title, expiresAt, run }: Shared) {
  const { status, outcome, score, suites, checks, truncated } = run;
  return (
    <main className={css.page}>
      <title>{plain(title)}</title>
      <header className={css.head}>
        <h1 dir="auto">{title}</h1>
        <StateBadge state={stateOf(outcome ?? status)} />
      </header>
      <Facts
        facts={[
          ['Score', score === null ? 'Nothing was graded' : `${score} of 100`],
          [
            run.completedAt === null ? 'Started' : 'Ended',
            <Time key="at" at={run.completedAt ?? run.createdAt} />,
          ],
        ]}
      />
      <Table label="Suites" columns={suiteColumns} rows={suites} keyOf={({ suiteKind }) => suiteKind} />
      {checks.length > 0 && (
        <Table
          label="Checks that failed or could not run"
          columns={checkColumns}
          rows={checks.map((one, at) => ({ ...one, at }))}
          keyOf={({ at }) => `${at}`}
        />
      )}
      {truncated && <p className={css.soft}>There are more of them than are shown here.</p>}
      <ReadOnly expiresAt={expiresAt}>What the server said is not shown.</ReadOnly>
    </main>
  );
}

const suiteColumns: Column<Suite>[] = [
  { name: 'Suite', main: true, cell: ({ suiteKind }) => names[suiteKind] ?? suiteKind },
  { name: 'Outcome', cell: ({ outcome, status }) => <StateBadge state={stateOf(outcome ?? status)} /> },
  { name: 'Score', figure: true, cell: ({ score }) => score ?? undefined },
  { name: 'Passed', figure: true, cell: ({ passed }) => count(passed) },
  { name: 'Failed', figure: true, cell: ({ failed }) => count(failed) },
  { name: 'Skipped', figure: true, cell: ({ skipped }) => count(skipped) },
];

const checkColumns: Column<Check>[] = [
  { name: 'Check', main: true, cell: ({ title }) => title },
  { name: 'About', cell: ({ group }) => group },
  { name: 'Result', cell: ({ status }) => (status === 'failed' ? 'Failed' : 'Could not run') },
];

const names: Record<string, string> = {
  protocol: 'Protocol',
  apps: 'MCP Apps',
  tasks: 'Tasks',
  oauth: 'OAuth',
};

function stateOf(word: string): State {
  if (
    word === 'passed' ||
    word === 'failed' ||
    word === 'running' ||
    word === 'pending' ||
    word === 'cancelled'
  )
    return word;
  return 'notEstablished';
}
