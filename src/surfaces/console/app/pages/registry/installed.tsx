import { Link } from '@tanstack/react-router';
import { askPages, type Output, useInfiniteQuery } from '../../api/index.ts';
import { StateMark } from '../../kit/state.tsx';
import { toastSuccess } from '../../kit/toast.tsx';
import { useEveryPage } from '../chat/use-every-page.ts';

type Connection = Output<'listRegistryConnections'>['items'][number];
type Install = Output<'installRegistryServer'>;

/** Registry connections by ID of their card or directory entry. */
export type Installed = ReadonlyMap<string, Connection>;

export function useInstalled(projectId: string) {
  const connections = useEveryPage(useInfiniteQuery(askPages('listRegistryConnections', { projectId })));
  const items = connections.data?.items ?? [];
  const installed: Installed = new Map(
    items.map((one) => [one.registryServerId ?? one.catalogServerId ?? one.id, one]),
  );
  return { installed, connections };
}

export function toastInstalled({ serverName, outcome }: Install): void {
  toastSuccess(
    outcome === 'created'
      ? `${serverName} installed`
      : `${serverName} was already installed and matches the listed version`,
  );
}

/** The name of the installed server, with a link to it. */
export function InstalledMark({
  connection: { projectId, serverId, serverName },
}: {
  connection: Connection;
}) {
  return (
    <StateMark state="passed">
      installed as{' '}
      <Link to="/projects/$projectId/servers/$serverId" params={{ projectId, serverId }}>
        <bdi>{serverName ?? serverId}</bdi>
      </Link>
    </StateMark>
  );
}
