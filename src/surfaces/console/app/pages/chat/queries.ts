import { api, infiniteQueryOptions } from '../../api/index.ts';

interface Which {
  projectId: string;
  sessionId: string;
}

/** As many as the service gives at once. */
const messagesAtOnce = 200;
const turnsAtOnce = 20;

/** A session with its messages from the first on. */
export function sessionOf({ projectId, sessionId }: Which) {
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

export function turnsOf({ sessionId }: Which) {
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
