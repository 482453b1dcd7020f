import { useEffect, useRef, useState } from 'react';
import { DrydockError } from '../../../client/error.ts';
import { pause } from '../../../client/lifetime.ts';
import type { VisitOutput } from '../../../client/visit.ts';
import { visit } from './access.ts';
import { afterEvent, again, exchangesOf, isOpen, sent, type Turn, waitAfter, withCall } from './turns.ts';

type Session = VisitOutput<'getVisitSession'>;

/** A conversation of the visitor: the stored messages, and the turns of this page since. */
export function useConversation(begunAs: string | undefined, onTurn: (sessionId: string) => void) {
  const [sessionId, setSessionId] = useState(begunAs);
  /** Each new object triggers a fetch. */
  const [wanted, setWanted] = useState({ id: begunAs });
  const [session, setSession] = useState<Session>();
  const [problem, setProblem] = useState<unknown>();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const stop = useRef<AbortController>(undefined);

  useEffect(() => {
    const { id } = wanted;
    if (id === undefined) return;
    const ends = new AbortController();
    const read = async (): Promise<void> => {
      try {
        setSession(await visit.getVisitSession({ visitSessionId: id }, { signal: ends.signal }));
        setTurns([]);
        setProblem(undefined);
      } catch (error) {
        if (!ends.signal.aborted) setProblem(error);
      }
    };
    void read();
    return () => ends.abort();
  }, [wanted]);
  useEffect(() => () => stop.current?.abort(), []);

  const change = (key: string, how: (turn: Turn) => Turn): void =>
    setTurns((all) => all.map((one) => (one.key === key ? how(one) : one)));

  const run = async (turn: Turn): Promise<void> => {
    const ends = new AbortController();
    stop.current = ends;
    const { key } = turn;
    // A retry replaces the failed turn.
    setTurns((all) => [...all.filter(({ state }) => state === 'ended'), turn]);
    const last = await runTurn(turn, ends.signal, (how) => change(key, how));
    if (last?.state !== 'ended' || last.sessionId === undefined) return;
    setSessionId(last.sessionId);
    onTurn(last.sessionId);
    if (last.replay) setWanted({ id: last.sessionId });
  };
  const live = turns.at(-1);
  return {
    sessionId,
    session,
    problem,
    turns,
    live,
    readAgain: () => setWanted({ id: sessionId }),
    say: (message: string) => void run(sent(message, sessionId)),
    retry: (turn: Turn) => void run(again(turn)),
    /** Removes a turn, whose message can then be edited. */
    forget: (turn: Turn) => setTurns((all) => all.filter(({ key }) => key !== turn.key)),
    hangUp: () => stop.current?.abort(),
    decide: async (turn: Turn, toolCallId: string, approved: boolean): Promise<void> => {
      if (turn.turnId === undefined) return;
      if (!approved) change(turn.key, (one) => withCall(one, toolCallId, { state: 'refused' }));
      await visit.decideToolCall({ turnId: turn.turnId, body: { toolCallId, approved } });
    },
    exchanges: exchangesOf(session?.messages ?? []),
  };
}

/** Reads the event stream to its end. If another turn of the conversation is running, waits for it. */
async function runTurn(
  turn: Turn,
  signal: AbortSignal,
  change: (how: (turn: Turn) => Turn) => void,
): Promise<Turn | undefined> {
  let last = turn;
  const become = (next: Turn): Turn => {
    last = next;
    // Keeps approval decisions made in the meantime.
    change((shown) => ({ ...next, pieces: withDecisions(next, shown) }));
    return next;
  };
  const { key: idempotencyKey, said: message, sentTo } = turn;
  const body = { idempotencyKey, message, ...(sentTo !== undefined && { sessionId: sentTo }) };
  for (;;)
    try {
      for await (const event of visit.sendVisitMessage({ body }, { signal })) become(afterEvent(last, event));
      return isOpen(last) ? become({ ...last, state: 'lost' }) : last;
    } catch (error) {
      if (signal.aborted) return become({ ...last, state: 'stopped' });
      const wait = waitAfter(error);
      if (wait === undefined)
        return become({ ...last, state: error instanceof DrydockError ? 'failed' : 'lost', error });
      become({ ...last, state: 'waiting' });
      await pause(wait, signal).catch(() => undefined);
    }
}

function withDecisions(next: Turn, shown: Turn): Turn['pieces'] {
  const refused = new Set(
    shown.pieces.flatMap((piece) => (piece.kind === 'call' && piece.state === 'refused' ? [piece.id] : [])),
  );
  return next.pieces.map((piece) =>
    piece.kind === 'call' && piece.state === 'asks' && refused.has(piece.id)
      ? { ...piece, state: 'refused' }
      : piece,
  );
}
