import { useQueries, useQuery } from '@tanstack/react-query';
import { ask } from '../../api/ask.ts';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Facts } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { everythingListed } from '../servers/every-page.ts';
import type { Mode } from './modes.ts';
import css from './studies.module.css';

/** Credits a day that the service lets the guests of a new study spend. */
const usualCap = 500;
/** Servers whose tools are counted. */
const mostCounted = 20;

/** What somebody who comes by the link is shown, and gets to chat with. */
export function VisitorPreview({
  projectId,
  environmentId,
  name,
  description,
  mode,
  guestCap = usualCap,
}: {
  projectId: string;
  environmentId: string;
  name: string;
  description: string;
  mode: Mode;
  /** Of a study that is there. */
  guestCap?: number | undefined;
}) {
  const resolved = useQuery(ask('resolveEnvironment', { projectId, environmentId }));
  const read = resolved.data;
  return (
    <section className={css.preview} aria-label="What a visitor gets">
      <h3 dir="auto">{name}</h3>
      {description !== '' && <p dir="auto">{description}</p>}
      {resolved.isPending && <Skeleton lines={2} />}
      {resolved.isError && <Problem error={resolved.error} retry={() => void resolved.refetch()} />}
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
                'Before a tool is called',
                read.config.requireToolApproval ? 'the visitor is asked' : 'nobody is asked',
              ],
              [
                'Guests together',
                mode === 'anyone_with_link'
                  ? `${count(guestCap)} credits a day, until you change it`
                  : undefined,
              ],
            ]}
          />
          <Hosted modelId={read.effectiveModelId} />
          <Note>What they chat costs you, as your own chats do.</Note>
        </>
      )}
    </section>
  );
}

/** Visitors bring no keys, so that only a model of this service answers them. */
function Hosted({ modelId }: { modelId: string }) {
  const models = useQuery(ask('listModels', {}));
  if (!models.isSuccess || models.data.items.some(({ id, hosted }) => hosted && id === modelId)) return null;
  return (
    <Note>
      <StateMark state="failed">Nobody can chat</StateMark> This service does not host {modelId}. Give the
      environment another model first.
    </Note>
  );
}

/** As the servers say now. */
function ToolCount({ projectId, serverIds }: { projectId: string; serverIds: readonly string[] }) {
  const asked = serverIds.slice(0, mostCounted);
  const lists = useQueries({
    queries: asked.map((serverId) => everythingListed('listTools', { projectId, serverId })),
  });
  if (serverIds.length === 0) return 'none';
  if (lists.some(({ isPending }) => isPending)) return 'being counted';
  const silent = lists.filter(({ isError }) => isError).length + serverIds.length - asked.length;
  const tools = lists.reduce((sum, { data }) => sum + (data?.items.length ?? 0), 0);
  return silent === 0 ? count(tools) : `${count(tools)}, and those of ${counted(silent, 'server')} not read`;
}
