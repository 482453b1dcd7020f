import { Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, useQuery } from '../api/index.ts';
import { partFrom } from '../api/parts.ts';
import { Button } from '../kit/button.tsx';
import { Page } from '../kit/page.tsx';
import { QueryState } from '../kit/query-state.tsx';
import { lastProject } from '../shell/last-project.ts';

const NewProject = partFrom(() => import('./projects/new-project.tsx'), 'NewProject');

/** Redirects to the last used project, or the first. */
export function Home() {
  const projects = useQuery(ask('listProjects', {}));
  const [making, setMaking] = useState(false);
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
          <Button look="primary" onClick={() => setMaking(true)}>
            New project
          </Button>
        }
      >
        Projects hold servers and everything tested against them.
      </QueryState>
      {making && <NewProject organizationId={undefined} onClose={() => setMaking(false)} />}
    </Page>
  );
}
