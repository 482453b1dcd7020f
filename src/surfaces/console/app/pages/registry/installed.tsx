import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Output } from '../../../../client/index.ts';
import { answersOf, askPages } from '../../api/ask.ts';
import { StateMark } from '../../kit/state.tsx';
import { say } from '../../kit/toast.tsx';
import { useEveryPage } from '../chat/use-every-page.ts';

type Connection = Output<'listRegistryConnections'>['items'][number];
type Install = Output<'installRegistryServer'>;

/** What came from the registry, by the card or the entry that it came from. */
export type Installed = ReadonlyMap<string, Connection>;

export function useInstalled(projectId: string) {
  const connections = useEveryPage(useInfiniteQuery(askPages('listRegistryConnections', { projectId })));
  const items = connections.data?.pages.flatMap((page) => page.items) ?? [];
  const installed: Installed = new Map(
    items.map((one) => [one.registryServerId ?? one.catalogServerId ?? one.id, one]),
  );
  return { installed, connections };
}

/** After something was installed or uninstalled. */
export function useInstalledChanged(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      (['listRegistryConnections', 'listProjectServers'] as const).map((id) =>
        queryClient.invalidateQueries(answersOf(id)),
      ),
    );
}

export function sayInstalled({ serverName, outcome }: Install): void {
  say(
    outcome === 'created' ? `${serverName} is saved` : `${serverName} was saved before, and is as listed now`,
  );
}

/** Under which name, with the way there. */
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
