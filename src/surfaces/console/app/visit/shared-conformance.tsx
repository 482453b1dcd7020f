import type { VisitOutput } from '../../../client/visit.ts';
import { Facts } from '../kit/page.tsx';
import { StateBadge } from '../kit/state.tsx';
import { type Column, Table } from '../kit/table.tsx';
import { plain } from '../kit/text.ts';
import { Time } from '../kit/time.tsx';
import { stateOf } from '../pages/conformance/labels.ts';
import { SuiteTable } from '../pages/conformance/suite-table.tsx';
import { ReadOnly } from './read-only.tsx';
import css from './shared.module.css';

type Shared = Extract<VisitOutput<'readShared'>, { kind: 'conformanceRun' }>;
type Check = Shared['run']['checks'][number] & { at: number };

/** Shared report of a conformance run. */
export function ConformanceReport({ title, expiresAt, run }: Shared) {
  const { status, outcome, score, suites, checks, truncated } = run;
  return (
    <main className={css.page}>
      <title>{plain(title)}</title>
      <header className={css.head}>
        <h1 dir="auto">{title}</h1>
        <StateBadge state={stateOf({ outcome, status })} />
      </header>
      <Facts
        facts={[
          ['Score', score === null ? 'Not graded' : `${score} of 100`],
          [
            run.completedAt === null ? 'Started' : 'Ended',
            <Time key="at" at={run.completedAt ?? run.createdAt} />,
          ],
        ]}
      />
      <SuiteTable suites={suites} />
      {checks.length > 0 && (
        <Table
          label="Checks that failed or could not run"
          columns={checkColumns}
          rows={checks.map((one, at) => ({ ...one, at }))}
          keyOf={({ at }) => `${at}`}
        />
      )}
      {truncated && <p className={css.soft}>More checks failed than are shown here.</p>}
      <ReadOnly expiresAt={expiresAt}>The server's responses are not shared.</ReadOnly>
    </main>
  );
}

const checkColumns: Column<Check>[] = [
  { name: 'Check', main: true, cell: ({ title }) => title },
  { name: 'Group', cell: ({ group }) => group },
  { name: 'Result', cell: ({ status }) => (status === 'failed' ? 'Failed' : 'Could not run') },
];
