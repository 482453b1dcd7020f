import { Navigate } from '@tanstack/react-router';
import { ask, useQuery } from '../api/index.ts';
import { partFrom } from '../api/parts.ts';
import { DialogButton } from '../kit/dialog-button.tsx';
import { Page } from '../kit/page.tsx';
import { QueryState } from '../kit/query-state.tsx';
import { lastProject } from '../shell/last-project.ts';

const NewProject = partFrom(() => import('./projects/new-project.tsx'), 'NewProject');

/** Redirects to the last used project, or the first. */
export function Home() {
  const projects = useQuery(ask('listProjects', {}));
  const items = projects.data?.items ?? [];
  const remembered = lastProject();
  const chosen = items.find(({ id }) => id === remembered) ?? items[0];
  if (chosen) return <Navigate to="/projects/$projectId" params={{ projectId: chosen.id }} replace />;
  return (
    <Page title="Projects">
      <QueryState
        of={projects}
        empty
        title="No projects yet"
        action={
          <DialogButton
            variant="primary"
            renderDialog={(close) => <NewProject organizationId={undefined} onClose={close} />}
          >
            New project
          </DialogButton>
        }
      >
        Projects hold servers and everything tested against them.
      </QueryState>
    </Page>
  );
}
