import { useParams } from '@tanstack/react-router';
import { Problem } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { Same } from '../../same/same.tsx';
import { Cards } from './cards.tsx';
import { Directory } from './directory.tsx';
import { useInstalled } from './installed.tsx';

/** Servers to choose from: what the organization has chosen, then what the sources of this installation list. */
export function RegistryPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/registry' });
  const { installed, connections } = useInstalled(projectId);
  return (
    <Page
      title="Registry"
      name="Registry"
      actions={<Same operation="listRegistryConnections" input={{ projectId }} />}
    >
      {connections.isError && (
        <Problem
          error={connections.error}
          advice="What is installed already is not marked below. Installing it again leads to the same saved server."
          retry={() => void connections.refetch()}
        />
      )}
      <Cards projectId={projectId} installed={installed} />
      <Directory projectId={projectId} installed={installed} />
    </Page>
  );
}
