import { ask, useQueries, useQuery } from '../../api/index.ts';
import { Note } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Facts } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { everythingListed } from '../servers/every-page.ts';
import type { Mode } from './modes.ts';
import css from './studies.module.css';

/** Default daily credits for the guests of a new study. */
const defaultCap = 500;
/** Maximum number of servers whose tools are counted. */
const maxCounted = 20;

export function VisitorPreview({
  projectId,
  environmentId,
  name,
  description,
  mode,
  guestCap = defaultCap,
}: {
  projectId: string;
  environmentId: string;
  name: string;
  description: string;
  mode: Mode;
  /** Daily credit cap of an existing study; the default for a new one. */
  guestCap?: number | undefined;
}) {
  const resolved = useQuery(ask('resolveEnvironment', { projectId, environmentId }));
  const read = resolved.data;
  return (
    <section className={css.preview} aria-label="Visitor preview">
      <h3 dir="auto">{name}</h3>
      {description !== '' && <p dir="auto">{description}</p>}
      <QueryState of={resolved} lines={2} />
      {read && (
        <>
          <Facts
            facts={[
              ['Model', read.effectiveModelId],
              ['Servers', read.servers.map((server) => server.name).join(', ') || 'none'],
              [
                'Tools',
                <ToolCount
                  key={read.hostConfigId}
                  projectId={projectId}
                  serverIds={read.servers.map(({ serverId }) => serverId)}
                />,
              ],
              [
                'Tool calls',
                read.config.requireToolApproval ? 'need visitor approval' : 'run without approval',
              ],
              ['Guest limit', mode === 'anyone_with_link' ? `${count(guestCap)} credits per day` : undefined],
            ]}
          />
          <Hosted modelId={read.effectiveModelId} />
          <Note>Visitors' chats are charged to your organization.</Note>
        </>
      )}
    </section>
  );
}

/** Visitors bring no API keys, so only hosted models can answer them. */
function Hosted({ modelId }: { modelId: string }) {
  const models = useQuery(ask('listModels', {}));
  if (!models.isSuccess || models.data.items.some(({ id, hosted }) => hosted && id === modelId)) return null;
  return (
    <Note>
      <StateMark state="failed">Chat unavailable</StateMark> This service has no hosted key for {modelId}.
      Choose another model for the environment first.
    </Note>
  );
}

/** Number of tools the servers list now. */
function ToolCount({ projectId, serverIds }: { projectId: string; serverIds: readonly string[] }) {
  const asked = serverIds.slice(0, maxCounted);
  const lists = useQueries({
    queries: asked.map((serverId) => everythingListed('listTools', { projectId, serverId })),
  });
  if (serverIds.length === 0) return 'none';
  if (lists.some(({ isPending }) => isPending)) return 'counting';
  const silent = lists.filter(({ isError }) => isError).length + serverIds.length - asked.length;
  const tools = lists.reduce((sum, { data }) => sum + (data?.items.length ?? 0), 0);
  return silent === 0 ? count(tools) : `${count(tools)}; ${counted(silent, 'server')} could not be read`;
}
