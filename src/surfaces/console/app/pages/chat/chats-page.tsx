import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { askPages, type Output, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { linkClass } from '../../kit/button.tsx';
import { Select } from '../../kit/field.tsx';
import { FilterInput } from '../../kit/filter-input.tsx';
import { Empty } from '../../kit/notice.tsx';
import { count } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';
import type { ChatsSearch } from './address.ts';
import css from './chat.module.css';

const route = '/projects/$projectId/sessions';

type Session = Output<'listSessions'>['items'][number];

/** Lists the user's own chats; chats are private. */
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
  const set = (changed: ChatsSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  return (
    <Page
      title="Chat"
      actions={
        <>
          <ApiExample operation="listSessions" input={input} />
          <Link to="/projects/$projectId/sessions/new" params={{ projectId }} className={linkClass}>
            New chat
          </Link>
        </>
      }
    >
      <search className={css.filters}>
        <FilterInput
          aria-label="Search terms"
          placeholder="Search chats"
          className={css.find}
          value={search.q}
          onChange={(q) => set({ q })}
        />
        <Select
          aria-label="Search in"
          value={search.in ?? ''}
          onChange={({ target }) => set({ in: target.value === 'transcripts' ? 'transcripts' : undefined })}
          options={[
            ['', 'titles'],
            ['transcripts', 'messages'],
          ]}
        />
      </search>
      <QueryTable
        of={sessions}
        lines={6}
        label="Chats"
        columns={columnsOf(projectId)}
        more="Show earlier chats"
      >
        <NoChat projectId={projectId} search={search} />
      </QueryTable>
    </Page>
  );
}

function NoChat({ projectId, search }: { projectId: string; search: ChatsSearch }) {
  if (search.q !== undefined)
    return (
      <Empty title="No results">
        {search.in === undefined ? 'Only titles were searched.' : 'The search matches whole words.'}
      </Empty>
    );
  return (
    <Empty
      title="No chats yet"
      action={
        <Link to="/projects/$projectId/sessions/new" params={{ projectId }} className={linkClass}>
          Start chat
        </Link>
      }
    >
      Chat with a model that can use the tools of your servers, and see every call it makes. Only you can see
      your chats.
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
      name: 'Match',
      cell: ({ matchPreview }) => matchPreview !== undefined && cut(matchPreview, 300),
    },
    { name: 'Model', cell: ({ modelId }) => modelId },
    { name: 'Messages', figure: true, cell: ({ messageCount }) => count(messageCount) },
    { name: 'Started', figure: true, cell: ({ startedAt }) => <Time at={startedAt} /> },
    { name: 'Last message', figure: true, cell: ({ lastActivityAt }) => <Time at={lastActivityAt} /> },
  ];
}
