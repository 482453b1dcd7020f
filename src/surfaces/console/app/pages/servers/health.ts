import { DrydockError } from '../../../../client/index.ts';
import { api, type Output, queryOptions } from '../../api/index.ts';
import type { State } from '../../kit/state.tsx';

export interface Health {
  state: State;
  word: string;
  detail: string;
  at: number;
}

/** Milliseconds for which a health check stays fresh. */
const fresh = 5 * 60_000;

/**
 * Connects to a server. Failures are returned as data, so that a server that is down has a state instead of
 * an error. At most two checks run at once, so that opening a list does not start many commands.
 */
export function healthOf(projectId: string, serverId: string) {
  return queryOptions<Health>({
    queryKey: ['health', projectId, serverId],
    queryFn: ({ signal }) =>
      withPermit(async () => {
        const at = Date.now();
        try {
          const answer = await api.validateServer({ projectId, serverId, body: {} }, { signal });
          return { ...answering(answer), at };
        } catch (error) {
          if (error instanceof DrydockError) return { ...unhealthy(error), at };
          throw error;
        }
      }),
    staleTime: fresh,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

function answering({ initInfo }: Output<'validateServer'>): Omit<Health, 'at'> {
  const { name, version } = (initInfo?.serverInfo ?? {}) as { name?: unknown; version?: unknown };
  const said = [name, version].filter((one) => typeof one === 'string').join(' ');
  return {
    state: 'passed',
    word: 'answers',
    detail: [said, initInfo?.protocolVersion].filter(Boolean).join(', '),
  };
}

function unhealthy({ code, message }: DrydockError): Omit<Health, 'at'> {
  if (code === 'OAUTH_REQUIRED') return { state: 'attention', word: 'needs authorization', detail: message };
  if (code === 'TIMEOUT') return { state: 'timedOut', word: 'too slow', detail: message };
  if (code === 'SERVER_UNREACHABLE') return { state: 'failed', word: 'unreachable', detail: message };
  return { state: 'attention', word: 'refused', detail: message };
}

/** Maximum number of concurrent checks. */
const atOnce = 2;
let busy = 0;
const waiting: (() => void)[] = [];

async function withPermit<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  if (busy >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  busy++;
  try {
    return await work();
  } finally {
    busy--;
    waiting.shift()?.();
  }
}
