import { useParams } from '@tanstack/react-router';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryError } from '../../kit/query-state.tsx';
import { Cards } from './cards.tsx';
import { Directory } from './directory.tsx';
import { useInstalled } from './installed.tsx';

/** Servers to install: the organization's cards, then the directory. */
export function RegistryPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/registry' });
  const { installed, connections } = useInstalled(projectId);
  return (
    <Page title="Registry" actions={<ApiExample operation="listRegistryConnections" input={{ projectId }} />}>
      <QueryError
        of={connections}
        advice="Installed servers could not be loaded, so they are not marked below. Installing one again opens the same server."
      />
      <Cards projectId={projectId} installed={installed} />
      <Directory projectId={projectId} installed={installed} />
    </Page>
  );
}
