import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { ask, type Output, useInfiniteQuery, useQuery } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button, linkClass } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Id } from '../../kit/copy.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Facts, Page } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import css from './chat.module.css';
import { Continue } from './continue.tsx';
import { setDraft } from './drafts.ts';
import { entriesOf, exchangesOf, withoutLive } from './exchanges.ts';
import { Live } from './live.tsx';
import { forgetTurn, sendAgain, useTurn } from './live-turns.ts';
import { sessionOf, turnsOf } from './queries.ts';
import { type Chosen, Stored } from './stored.tsx';
import { isOpen, type LiveTurn } from './turn-state.ts';
import { useEveryPage } from './use-every-page.ts';
import { useFollow } from './use-follow.ts';

const BrowserPane = partFrom(
  () => import('./browser/pane.tsx'),
  'BrowserPane',
  () => <Skeleton lines={6} />,
);

const route = '/projects/$projectId/sessions/$sessionId';

type Session = Output<'getChatSession'>;
interface SessionRef {
  projectId: string;
  sessionId: string;
}

/** Poll interval in milliseconds while a turn of the session runs elsewhere. */
const pollEvery = 2_000;
/** Entries rendered initially, and added by “Show earlier”. */
const step = 50;

export function ChatPage() {
  const which = useParams({ from: route });
  // A new chat starts with fresh state.
  return <Chat key={which.sessionId} which={which} />;
}

function Chat({ which }: { which: SessionRef }) {
  const { projectId, sessionId } = which;
  const { browser: beside } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const live = useTurn(sessionId);
  const open = live !== undefined && isOpen(live);
  const { session, messages, error, retry } = useSession(which, open);
  const turns = useEveryPage(useInfiniteQuery(turnsOf(which)));
  const crumb = (
    <Link to="/projects/$projectId/sessions" params={{ projectId }}>
      Chat
    </Link>
  );
  const unkept = live && !isKept(live, session) ? live : undefined;
  // A replayed turn has no content of its own; its result is in the stored conversation.
  const liveId = unkept?.turn?.replay ? undefined : unkept?.turnId;
  const said = unkept?.body.message;
  const entries = useMemo(() => {
    const told = turns.data?.pages.flatMap((page) => page.turns) ?? [];
    const all = entriesOf(exchangesOf(messages), told);
    return withoutLive(
      all,
      liveId !== undefined && said !== undefined ? { turnId: liveId, said } : undefined,
    );
  }, [messages, turns.data, liveId, said]);
  const title = session?.title ?? live?.body.message.slice(0, 80) ?? 'Chat';
  if (!session && !unkept)
    return (
      <Page title="Chat" crumbs={[crumb]}>
        {error ? <Problem error={error} retry={retry} back={crumb} /> : <Skeleton lines={8} />}
      </Page>
    );
  return (
    <Page
      title={title}
      crumbs={[crumb]}
      actions={
        <>
          <ApiExample operation="getChatSession" input={{ sessionId }} />
          <Button
            aria-pressed={beside === true}
            onClick={() =>
              void navigate({
                search: (before) => ({ ...before, browser: beside ? undefined : (true as const) }),
                replace: true,
                resetScroll: false,
              })
            }
          >
            Browser
          </Button>
          <Link to="/projects/$projectId/sessions/new" params={{ projectId }} className={linkClass}>
            New chat
          </Link>
        </>
      }
    >
      {session && <ChatFacts projectId={projectId} session={session} />}
      {error && <Problem error={error} retry={retry} />}
      <div className={beside ? css.beside : css.alone}>
        <div className={common.panel}>
          <Conversation which={which} entries={entries} live={unkept} />
          {session?.turnInProgress && !open && (
            <Note>A turn of this chat is running. It appears here when it ends.</Note>
          )}
          <Continue which={which} session={session} live={live} />
        </div>
        {beside && session && (
          <aside className={css.pane} aria-label="Browser">
            <BrowserPane sessionId={sessionId} browser={session.browser} busy={open} />
          </aside>
        )}
      </div>
    </Page>
  );
}

function useSession(which: SessionRef, open: boolean) {
  const query = useEveryPage(
    useInfiniteQuery({
      ...sessionOf(which),
      refetchInterval: ({ state }) => (state.data?.pages.at(-1)?.turnInProgress && !open ? pollEvery : false),
    }),
  );
  const messages = useMemo(() => query.data?.pages.flatMap((page) => page.messages), [query.data]);
  return {
    session: query.data?.pages.at(-1),
    messages,
    error: query.error,
    retry: () => void query.refetch(),
  };
}

/** Whether the loaded session includes this turn. */
function isKept({ state, turn }: LiveTurn, session: Session | undefined): boolean {
  if (state !== 'ended' || turn?.persisted.version === undefined) return false;
  return session !== undefined && (session.version ?? 0) >= turn.persisted.version;
}

function Conversation({
  which: { sessionId },
  entries,
  live,
}: {
  which: SessionRef;
  entries: ReturnType<typeof entriesOf>;
  live: LiveTurn | undefined;
}) {
  const { turn, span } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const [most, setMost] = useState(step);
  const end = useFollow(entries.length, live, turn === undefined);
  const chosen = useMemo(() => ({ turn, span }), [turn, span]);
  const choose = useCallback(
    (next: Chosen) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false }),
    [navigate],
  );
  // Also show the turn whose timeline the URL selects, however old it is.
  const asked = entries.findIndex((entry) => entry.turn !== undefined && entry.turn.turnId === turn);
  const first = Math.min(Math.max(0, entries.length - most), asked < 0 ? entries.length : asked);
  const shown = useMemo(() => entries.slice(first), [entries, first]);
  return (
    <>
      {first > 0 && (
        <div>
          <Button onClick={() => setMost(most + step)}>Show earlier ({counted(first, 'exchange')})</Button>
        </div>
      )}
      <ol className={css.conversation} aria-label="Conversation">
        <Stored sessionId={sessionId} entries={shown} chosen={chosen} choose={choose} />
        {live && (
          <Live
            turn={live}
            onAgain={() => sendAgain(sessionId, live)}
            onEdit={() => {
              setDraft(sessionId, live.body.message);
              forgetTurn(sessionId);
            }}
          />
        )}
      </ol>
      <p role="status" className="visually-hidden">
        {live && statusLabels(live)}
      </p>
      <div ref={end} />
    </>
  );
}

/** Announced by screen readers, for which streamed text would be too much. */
function statusLabels({ state, pieces }: LiveTurn): string {
  const last = pieces.at(-1);
  if (state === 'running' && last?.kind === 'call') return `Tool ${last.tool}: ${last.state}`;
  return { ...stateLabels }[state];
}

const stateLabels = {
  sending: 'Sending message',
  waiting: 'Waiting for another turn of this chat',
  running: 'The model is working',
  ended: 'Reply received',
  failed: 'The turn failed',
  stopped: 'The turn was stopped',
  lost: 'The connection was lost',
};

function ChatFacts({ projectId, session }: { projectId: string; session: Session }) {
  const { sessionId, modelId, toolMode, environmentId, serverIds, messageCount, startedAt, usage } = session;
  const servers = useQuery({ ...ask('listProjectServers', { projectId }), enabled: serverIds.length > 0 });
  const names = new Map(servers.data?.items.map(({ id, name }) => [id, name]));
  return (
    <Facts
      facts={[
        ['ID', <Id key="id" value={sessionId} />],
        ['Model', modelId],
        ['Tools', toolMode === 'auto' ? 'all' : 'read-only'],
        ['Servers', serverIds.map((id) => names.get(id) ?? id).join(', ')],
        [
          'Environment',
          environmentId === null ? undefined : (
            <Link
              key="environment"
              to="/projects/$projectId/environments/$environmentId"
              params={{ projectId, environmentId }}
            >
              Open
            </Link>
          ),
        ],
        ['Messages', count(messageCount ?? 0)],
        ['Tokens in', count(usage.cumulativeInputTokens)],
        ['Tokens out', count(usage.cumulativeOutputTokens)],
        ['Started', startedAt === null ? undefined : <Time key="started" at={startedAt} />],
      ]}
    />
  );
}
