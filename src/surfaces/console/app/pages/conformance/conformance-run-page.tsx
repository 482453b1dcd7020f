import { Link, useParams } from '@tanstack/react-router';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Page } from '../../kit/page.tsx';
import { LoadingPage } from '../../kit/query-state.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { ShareRun } from '../runs/share.tsx';
import { isOpen, stateOfRun, targetName } from './labels.ts';
import { CancelConformance, ConformanceRunView, useConformanceRun } from './run-view.tsx';

export function ConformanceRunPage() {
  const which = useParams({ from: '/projects/$projectId/conformance/$runId' });
  const { projectId, runId } = which;
  const query = useConformanceRun(projectId, runId);
  const run = query.data;
  const list = (
    <Link to="/projects/$projectId/conformance" params={which}>
      Conformance runs
    </Link>
  );
  if (!run) return <LoadingPage of={query} title="Conformance run" crumbs={[list]} />;
  const name = `Conformance of ${targetName(run)}`;
  return (
    <Page
      title={name}
      crumbs={[list]}
      mark={<StateBadge state={stateOfRun(run)} />}
      actions={
        <>
          <ApiExample operation="getConformanceRun" input={{ projectId, conformanceRunId: runId }} />
          <ShareRun projectId={projectId} runId={run.id} kind="conformanceRun" />
          {isOpen(run) && run.hosted && <CancelConformance run={run} />}
        </>
      }
    >
      <ConformanceRunView run={run} linked />
    </Page>
  );
}
