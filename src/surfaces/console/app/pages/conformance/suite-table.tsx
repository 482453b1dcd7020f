import { count } from '../../kit/numbers.ts';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { duration } from '../../kit/time.tsx';
import { stateOf, suiteName } from './labels.ts';

interface Suite {
  suiteKind: string;
  status: string;
  outcome: string | null;
  score: number | null;
  passed: number;
  failed: number;
  skipped: number;
  pending?: number | undefined;
  profileId?: string | undefined;
  incompleteReason?: string | undefined;
  durationMs?: number | null | undefined;
}

/** Result or progress of each suite. */
export function SuiteTable({ suites }: { suites: readonly Suite[] }) {
  return <Table label="Suites" columns={columns} rows={suites} keyOf={({ suiteKind }) => suiteKind} />;
}

const columns: Column<Suite>[] = [
  { name: 'Suite', main: true, cell: ({ suiteKind }) => suiteName(suiteKind) },
  { name: 'Outcome', cell: (suite) => <StateMark state={stateOf(suite)} /> },
  { name: 'Protocol revision', cell: ({ profileId }) => profileId },
  { name: 'Score', figure: true, cell: ({ score }) => score },
  { name: 'Passed', figure: true, cell: ({ passed }) => count(passed) },
  { name: 'Failed', figure: true, cell: ({ failed }) => count(failed) },
  { name: 'Pending', figure: true, cell: ({ pending }) => pending !== undefined && count(pending) },
  { name: 'Skipped', figure: true, cell: ({ skipped }) => count(skipped) },
  { name: 'Duration', figure: true, cell: ({ durationMs }) => durationMs != null && duration(durationMs) },
  { name: 'Reason', cell: ({ incompleteReason }) => incompleteReason },
];
