import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '../../../../client/index.ts';
import { askPages } from '../../api/ask.ts';
import { Button, linkClass } from '../../kit/button.tsx';
import { Select } from '../../kit/field.tsx';
import { FilterInput } from '../../kit/filter-input.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { count } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import type { ChatsSearch } from './address.ts';
import css from './chat.module.css';

const route = '/projects/$projectId/sessions';

type Session = Output<'listSessions'>['items'][number];

/** The chats of whoever looks: what somebody says to a model is theirs. */
export function ChatsPage() {
  const { projectId } = useParams({ from: route });
  const search = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const input = {
    projectId,
    q: search.q,
    scope: search.in,
    sourceType: 'direct',
    limit: 50,
  };
  const sessions = useInfiniteQuery(askPages('listSessions', input));
  const items = sessions.data?.pages.flatMap((page) => page.items) ?? [];
  const set = (changed: ChatsSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  return (
    <Page
      title="Chat"
      name="Chat"
      actions={
        <>
          <Same operation="listSessions" input={input} />
          <Link to="/projects/$projectId/sessions/new" params={{ projectId }} className={linkClass}>
            New chat
          </Link>
        </>
      }
    >
      <search className={css.filters}>
        <FilterInput
          aria-label="Words to look for"
          placeholder="Find a chat"
          className={css.find}
          value={search.q}
          onChange={(q) => set({ q })}
        />
        <Select
          aria-label="Where to look"
          value={search.in ?? ''}
          onChange={({ target }) => set({ in: target.value === 'transcripts' ? 'transcripts' : undefined })}
          options={[
            ['', 'in titles'],
            ['transcripts', 'in what was said'],
          ]}
        />
      </search>
      {sessions.isPending && <Skeleton lines={6} />}
      {sessions.isError && <Problem error={sessions.error} retry={() => void sessions.refetch()} />}
      {sessions.isSuccess && items.length === 0 && <NoChat projectId={projectId} search={search} />}
      {items.length > 0 && (
        <Table label="Chats" columns={columnsOf(projectId)} rows={items} keyOf={({ id }) => id} />
      )}
      {sessions.hasNextPage && (
        <div>
          <Button busy={sessions.isFetchingNextPage} onClick={() => void sessions.fetchNextPage()}>
            Show earlier chats
          </Button>
        </div>
      )}
    </Page>
  );
}

function NoChat({ projectId, search }: { projectId: string; search: ChatsSearch }) {
  if (search.q !== undefined)
    return (
      <Empty title="No chat has these words">
        {search.in === undefined ? 'Only titles were looked through.' : 'Whole words are looked for.'}
      </Empty>
    );
  return (
    <Empty
      title="No chat yet"
      action={
        <Link to="/projects/$projectId/sessions/new" params={{ projectId }} className={linkClass}>
          Start a chat
        </Link>
      }
    >
      Talk with a model that has the tools of your servers, and see every call it makes. Nobody else sees your
      chats.
    </Empty>
  );
}

function columnsOf(projectId: string): Column<Session>[] {
  return [
    {
      name: 'Chat',
      main: true,
      cell: ({ id, title }) => (
        <Link to="/projects/$projectId/sessions/$sessionId" params={{ projectId, sessionId: id }}>
          {title}
        </Link>
      ),
    },
    {
      name: 'Found',
      cell: ({ matchPreview }) => matchPreview !== undefined && cut(matchPreview, 300),
    },
    { name: 'Model', cell: ({ modelId }) => modelId },
    { name: 'Messages', figure: true, cell: ({ messageCount }) => count(messageCount) },
    { name: 'Started', figure: true, cell: ({ startedAt }) => <Time at={startedAt} /> },
    { name: 'Last message', figure: true, cell: ({ lastActivityAt }) => <Time at={lastActivityAt} /> },
  ];
}
