import { useQuery } from '../../api/index.ts';
import common from '../../kit/common.module.css';
import { QueryState } from '../../kit/query-state.tsx';
import { UsedBy } from '../../kit/used-by.tsx';
import { usesOf } from './uses.ts';

/** Lists the resources that use a server; for dialogs that delete it. */
export function ServerUses({
  projectId,
  server,
}: {
  projectId: string;
  server: { id: string; name: string };
}) {
  const uses = useQuery(usesOf(projectId, server));
  if (uses.isPending) return <p className={common.soft}>Checking what uses it…</p>;
  if (!uses.data) return <QueryState of={uses} />;
  return (
    <UsedBy {...uses.data} none="No suite, client, group or environment uses this server." lead="Used by:" />
  );
}
