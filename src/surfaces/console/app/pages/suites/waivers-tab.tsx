import { Link } from '@tanstack/react-router';
import { ask, useQueries, useQuery } from '../../api/index.ts';
import common from '../../kit/common.module.css';
import { Empty, Skeleton } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { QueryState } from '../../kit/query-state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { RevokeWaiver, type Waiver, WaiverState } from '../runs/waivers.tsx';
import type { Run } from './past.ts';
import type { Suite } from './suite-labels.ts';

const searchedRuns = 50;

/** Failed runs with a waiver. */
export function WaiversTab({ suite }: { suite: Suite }) {
  const { projectId } = suite;
  const runs = useQuery(ask('listEvalSuiteRuns', { projectId, suiteId: suite.id, limit: searchedRuns }));
  const failed = runs.data?.items.filter(({ result }) => result === 'failed') ?? [];
  const answers = useQueries({
    queries: failed.map(({ id }) => ask('getGateWaiver', { projectId, runId: id })),
  });
  if (!runs.isSuccess) return <QueryState of={runs} lines={4} />;
  if (answers.some(({ isPending }) => isPending)) return <Skeleton lines={4} />;
  const rows = answers.flatMap(({ data }, at) =>
    data?.waiver ? [{ waiver: data.waiver, run: failed[at] as Run }] : [],
  );
  const [newest] = failed;
  if (rows.length === 0)
    return (
      <Empty
        title={
          runs.data.items.length < searchedRuns ? 'No waivers' : `No waivers in the last ${searchedRuns} runs`
        }
        action={
          newest && (
            <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: newest.id }}>
              Go to last failed run
            </Link>
          )
        }
      >
        A waiver makes CI treat a failed run as passing until a date you set. Create one on the run's page.
      </Empty>
    );
  return (
    <>
      <Table label="Waivers" columns={columnsOf(projectId)} rows={rows} keyOf={({ waiver }) => waiver.id} />
      <p className={common.soft}>
        From the last {counted(runs.data.items.length, 'run')}, each with its latest waiver.
      </p>
    </>
  );
}

function columnsOf(projectId: string): Column<{ waiver: Waiver; run: Run }>[] {
  return [
    {
      name: 'Run',
      main: true,
      cell: ({ run }) => (
        <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: run.id }}>
          #{run.runNumber}
        </Link>
      ),
    },
    { name: 'State', cell: ({ waiver }) => <WaiverState waiver={waiver} /> },
    { name: 'Reason', cell: ({ waiver }) => waiver.reason },
    { name: 'By', cell: ({ waiver }) => waiver.createdByEmail ?? waiver.createdBy },
    { name: 'Created', cell: ({ waiver }) => <Time at={waiver.createdAt} /> },
    { name: 'Expires', cell: ({ waiver }) => <Time at={waiver.expiresAt} /> },
    {
      name: '',
      figure: true,
      cell: ({ waiver }) => waiver.active && <RevokeWaiver projectId={projectId} waiver={waiver} />,
    },
  ];
}
