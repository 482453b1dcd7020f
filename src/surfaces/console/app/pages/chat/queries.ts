import { api, infiniteQueryOptions } from '../../api/index.ts';

interface SessionRef {
  projectId: string;
  sessionId: string;
}

/** Maximum page sizes of the API. */
const messagesAtOnce = 200;
const turnsAtOnce = 20;

/** A session with its messages, oldest first. */
export function sessionOf({ projectId, sessionId }: SessionRef) {
  const which = { projectId, sessionId, limit: messagesAtOnce };
  return infiniteQueryOptions({
    queryKey: ['getChatSession', 'pages', which],
    queryFn: ({ signal, pageParam }) =>
      api.getChatSession(
        { ...which, ...(pageParam !== undefined && { afterMessageIndex: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ nextMessageIndex }) => nextMessageIndex,
  });
}

export function turnsOf({ sessionId }: SessionRef) {
  return infiniteQueryOptions({
    queryKey: ['getChatSessionTrace', 'pages', { sessionId }],
    queryFn: ({ signal, pageParam: afterPromptIndex }) =>
      api.getChatSessionTrace(
        { sessionId, afterPromptIndex, limit: turnsAtOnce, includeSpans: 'false' },
        { signal },
      ),
    initialPageParam: -1,
    getNextPageParam: ({ turns }) => (turns.length < turnsAtOnce ? undefined : turns.at(-1)?.promptIndex),
  });
}
