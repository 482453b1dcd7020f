import { Link, useParams } from '@tanstack/react-router';
import { Problem, Skeleton } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { Same } from '../../same/same.tsx';
import { ShareRun } from '../runs/share.tsx';
import { CancelConformance, ConformanceRunView, useConformanceRun } from './run-view.tsx';
import { isOpen, stateOfRun, targetName } from './words.ts';

export function ConformanceRunPage() {
  const which = useParams({ from: '/projects/$projectId/conformance/$runId' });
  const { projectId, runId } = which;
  const query = useConformanceRun(projectId, runId);
  const run = query.data;
  const list = (
    <Link to="/projects/$projectId/conformance" params={which}>
      Conformance
    </Link>
  );
  if (!run)
    return (
      <Page title="Conformance run" name="Conformance run" crumbs={[list]}>
        {query.isError ? (
          <Problem error={query.error} retry={() => void query.refetch()} back={list} />
        ) : (
          <Skeleton lines={8} />
        )}
      </Page>
    );
  const name = `Conformance of ${targetName(run)}`;
  return (
    <Page
      title={name}
      name={name}
      crumbs={[list]}
      mark={<StateBadge state={stateOfRun(run)} />}
      actions={
        <>
          <Same operation="getConformanceRun" input={{ projectId, conformanceRunId: runId }} />
          <ShareRun projectId={projectId} runId={run.id} kind="conformanceRun" />
          {isOpen(run) && run.hosted && <CancelConformance run={run} />}
        </>
      }
    >
      <ConformanceRunView run={run} linked />
    </Page>
  );
}
