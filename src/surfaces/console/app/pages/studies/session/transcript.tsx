import { api, type InfiniteData, infiniteQueryOptions, type Output } from '../../../api/index.ts';
import { ToolIcon } from '../../../kit/icons.tsx';
import chat from '../../chat/chat.module.css';
import { MessageBubble } from '../../chat/pieces.tsx';
import css from '../studies.module.css';

export interface SessionRef {
  projectId: string;
  studyId: string;
  sessionId: string;
}

type Read = Output<'getStudySession'>;

/** Maximum page size of the service. */
const atOnce = 200;

/** In milliseconds. A session without activity for `quietFor` is no longer polled. */
const pollEvery = 3_000;
const quietFor = 10 * 60_000;

function isActive(read: InfiniteData<Read> | undefined): boolean {
  const last = read?.pages.at(-1)?.lastActivityAt ?? 0;
  return read?.pages.length === 1 && Date.now() - last < quietFor;
}

export function transcriptOf(which: SessionRef) {
  return infiniteQueryOptions<Read, Error, InfiniteData<Read>, readonly unknown[], string | undefined>({
    queryKey: ['getStudySession', 'pages', which],
    queryFn: ({ signal, pageParam: cursor }) =>
      api.getStudySession({ ...which, limit: atOnce, ...(cursor !== undefined && { cursor }) }, { signal }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => (isActive(state.data) ? pollEvery : false),
  });
}

/** Shows only the names of called tools: arguments and results belong to the visitor. */
export function Transcript({ messages, visitor }: { messages: Read['messages']; visitor: string }) {
  return (
    <ol className={chat.conversation} aria-label="Transcript">
      {messages.map(({ role, text, toolName }, at) => (
        <li key={at}>
          {toolName === undefined ? (
            <MessageBubble
              by={role === 'user' ? 'You' : 'Model'}
              name={role === 'user' ? visitor : 'Model'}
              text={text}
            />
          ) : (
            <p className={css.called}>
              <ToolIcon />
              <code title={toolName}>{toolName}</code>
              was called
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
