import { DrydockError } from '../../../../client/index.ts';
import { api, refreshAfter } from '../../api/index.ts';
import { newKey } from '../../kit/new-key.ts';
import { personalStoreOf } from '../../kit/store.ts';
import { afterEvent, type Body, isOpen, type LiveTurn, needsNewKey, sent, waitAfter } from './turn-state.ts';

/**
 * Turns sent from this tab, by conversation: a session, or one about to start in a project. They continue
 * while other pages are open and are cleared on sign-out.
 */
const turns = personalStoreOf<ReadonlyMap<string, LiveTurn>>(new Map());
const stops = new Map<string, AbortController>();

/** Milliseconds to wait for another turn of the chat; longer than any turn may run. */
const maxWait = 200_000;

export function startingIn(projectId: string): string {
  return `new in ${projectId}`;
}

export function useTurn(conversation: string): LiveTurn | undefined {
  return turns.use().get(conversation);
}

/** The current conversation of the turn with this key. */
export function useConversationOf(key: string | undefined): string | undefined {
  return [...turns.use()].find(([, { body }]) => body.idempotencyKey === key)?.[0];
}

function put(conversation: string, turn: LiveTurn | undefined): void {
  const next = new Map(turns.get());
  if (turn) next.set(conversation, turn);
  else next.delete(conversation);
  turns.set(next);
}

export function forgetTurn(conversation: string): void {
  put(conversation, undefined);
}

/** Closing the connection stops the turn. */
export function stopTurn({ body }: LiveTurn): void {
  stops.get(body.idempotencyKey)?.abort();
}

/**
 * Retries with the same idempotency key, so that nothing runs twice, unless the service would not run that
 * key again. Returns the key.
 */
export function sendAgain(conversation: string, turn: LiveTurn): string {
  const idempotencyKey = needsNewKey(turn) ? newKey() : turn.body.idempotencyKey;
  sendTurn(conversation, { ...turn.body, idempotencyKey });
  return idempotencyKey;
}

export function sendTurn(conversation: string, body: Body): void {
  put(conversation, sent(body));
  const stop = new AbortController();
  stops.set(body.idempotencyKey, stop);
  void runAndRefetch(body, stop);
}

async function runAndRefetch(body: Body, stop: AbortController): Promise<void> {
  await run(body, stop);
  stops.delete(body.idempotencyKey);
  await refreshAfter('chat turn ended');
}

/** Updates a turn wherever it is now. A turn that started a session moves there once the session is kept. */
function change(key: string, how: (turn: LiveTurn) => LiveTurn): boolean {
  const [conversation, before] = [...turns.get()].find(([, { body }]) => body.idempotencyKey === key) ?? [];
  if (conversation === undefined || !before) return false;
  const turn = how(before);
  // A turn that fails before the model is called leaves no session.
  const stays = turn.state === 'ended' || turn.pieces.length > 0;
  const next = stays && turn.sessionId !== undefined ? turn.sessionId : conversation;
  if (next !== conversation) forgetTurn(conversation);
  put(next, turn);
  return true;
}

async function run(body: Body, stop: AbortController): Promise<void> {
  const { signal } = stop;
  const key = body.idempotencyKey;
  const until = Date.now() + maxWait;
  for (;;) {
    try {
      return await read(body, stop);
    } catch (error) {
      if (signal.aborted) return void change(key, (turn) => ({ ...turn, state: 'stopped' }));
      const wait = waitAfter(error);
      if (wait === undefined || Date.now() + wait > until)
        return void change(key, (turn) =>
          error instanceof DrydockError ? { ...turn, state: 'failed', error } : lost(turn, error),
        );
      change(key, (turn) => ({ ...turn, state: 'waiting' }));
      await pause(wait, signal);
    }
  }
}

/** Reads the event stream to its end. */
async function read(body: Body, stop: AbortController): Promise<void> {
  const key = body.idempotencyKey;
  for await (const event of api.streamChatMessage({ body }, { signal: stop.signal })) {
    const known = change(key, (turn) => afterEvent(turn, event));
    // The user has signed out.
    if (!known) return stop.abort();
  }
  change(key, (turn) => (isOpen(turn) ? lost(turn, new TypeError('The stream was interrupted')) : turn));
}

function lost(turn: LiveTurn, error: unknown): LiveTurn {
  return { ...turn, state: 'lost', error };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
