import { Link } from '@tanstack/react-router';
import type { Output } from '../../../api/index.ts';
import common from '../../../kit/common.module.css';
import { StateMark } from '../../../kit/state.tsx';
import { type Column, Progress, Table } from '../../../kit/table.tsx';
import { duration, Time } from '../../../kit/time.tsx';
import { endedOf, stateOfJourneyRun, summaryText } from '../states.ts';

type Run = Output<'listJourneyRuns'>['items'][number];

export function RunsTable({ projectId, runs }: { projectId: string; runs: readonly Run[] }) {
  return <Table label="Runs" columns={columnsOf(projectId)} rows={runs} />;
}

function columnsOf(projectId: string): Column<Run>[] {
  return [
    {
      name: 'Launched',
      main: true,
      cell: ({ id, createdAt }) => (
        <Link to="/projects/$projectId/swarms/runs/$journeyRunId" params={{ projectId, journeyRunId: id }}>
          <Time at={createdAt} />
        </Link>
      ),
    },
    { name: 'Verdict', cell: (run) => <StateMark state={stateOfJourneyRun(run)} /> },
    {
      name: 'Sessions',
      cell: ({ status, summary }) =>
        status === 'running' ? (
          <Progress ended={endedOf(summary)} total={summary.total} noun="sessions" />
        ) : (
          <span className={common.soft}>{summaryText(summary)}</span>
        ),
    },
    {
      name: 'Target',
      cell: ({ targets }) =>
        targets
          .map(({ hostName, environmentName, hostId }) => environmentName ?? hostName ?? hostId)
          .join(', '),
    },
    { name: 'Wave', cell: ({ id, waveId }) => (waveId === undefined || waveId === id ? '' : waveId) },
    {
      name: 'Duration',
      figure: true,
      cell: ({ createdAt, completedAt }) =>
        completedAt === undefined ? '' : duration(completedAt - createdAt),
    },
  ];
}
