import { Link } from '@tanstack/react-router';
import { count } from '../../kit/numbers.ts';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { type ConformanceRun, sourceText, stateOfRun, suiteName, targetName } from './labels.ts';

/** Runs, newest first, of one server or of all. */
export function RunsTable({ runs, named = false }: { runs: readonly ConformanceRun[]; named?: boolean }) {
  return (
    <Table
      label="Conformance runs"
      columns={named ? [started, server, ...columns] : [started, ...columns]}
      rows={runs}
    />
  );
}

const started: Column<ConformanceRun> = {
  name: 'Started',
  main: true,
  cell: ({ projectId, id, createdAt }) => (
    <Link to="/projects/$projectId/conformance/$runId" params={{ projectId, runId: id }}>
      <Time at={createdAt} />
    </Link>
  ),
};

const server: Column<ConformanceRun> = { name: 'Server', cell: targetName };

const columns: Column<ConformanceRun>[] = [
  { name: 'Outcome', cell: (run) => <StateMark state={stateOfRun(run)} /> },
  { name: 'Score', figure: true, cell: ({ score }) => score },
  { name: 'Passed', figure: true, cell: ({ passed }) => count(passed) },
  { name: 'Failed', figure: true, cell: ({ failed }) => count(failed) },
  {
    name: 'Suites',
    cell: ({ requestedSuites }) => requestedSuites.map((kind) => suiteName(kind)).join(', '),
  },
  { name: 'Source', cell: sourceText },
];
