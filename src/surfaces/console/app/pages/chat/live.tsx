import { Button } from '../../kit/button.tsx';
import { Note, Problem } from '../../kit/notice.tsx';
import { StateMark } from '../../kit/state.tsx';
import css from './chat.module.css';
import { MessageBubble, Pieces } from './pieces.tsx';
import { type LiveTurn, needsNewKey, reasonOf } from './turn-state.ts';

/** The turn in progress, or one that ended and is not in the stored session. */
export function Live({
  turn,
  onAgain,
  onEdit,
}: {
  turn: LiveTurn;
  onAgain: () => void;
  /** Puts the message back into the field. */
  onEdit: () => void;
}) {
  const { body, pieces } = turn;
  if (turn.turn?.replay)
    return (
      <li className={css.exchange}>
        <Note>
          This message was received before the connection was lost. Its result is above; nothing ran twice.
        </Note>
      </li>
    );
  return (
    <li className={css.exchange}>
      <MessageBubble by="You" text={body.message} />
      <Pieces pieces={pieces} />
      <Outcome turn={turn} />
      {(turn.state === 'failed' || turn.state === 'lost') && (
        <Problem
          error={turn.error}
          advice={adviceFor(turn)}
          back={
            <>
              <Button onClick={onAgain}>{needsNewKey(turn) ? 'Send again' : 'Try again'}</Button>
              <Button variant="quiet" onClick={onEdit}>
                Edit message
              </Button>
            </>
          }
        />
      )}
    </li>
  );
}

function Outcome({ turn: { state, turn } }: { turn: LiveTurn }) {
  if (state === 'sending') return <StateMark state="pending">sending</StateMark>;
  if (state === 'waiting')
    return (
      <StateMark state="pending">
        Another turn of this chat is running. This one starts when it ends.
      </StateMark>
    );
  if (state === 'running') return <StateMark state="running">the model is working</StateMark>;
  if (state === 'stopped')
    return <StateMark state="cancelled">Stopped. This turn was not saved in the chat.</StateMark>;
  if (turn?.persisted.outcome === 'failed')
    return <Note>The turn ran but could not be saved: the next turn will not know about it.</Note>;
  if (turn?.persisted.outcome === 'superseded')
    return <Note>The chat was continued elsewhere in the meantime, so this turn is not part of it.</Note>;
  return null;
}

const advice: Record<string, string> = {
  TURN_FAILED: 'Nothing was saved. Send it again, or start a chat with another model.',
  TURN_TIMEOUT: 'Nothing was saved. Ask for less at once, or allow fewer tool calls.',
  TURN_IN_PROGRESS: 'Another turn of this chat is still running. Try again when it ends.',
  SESSION_FULL: 'Start a new chat.',
  SERVER_UNAVAILABLE: 'Enable the server, or start a chat with other servers.',
  HOST_TARGET_REQUIRED: 'Select the client below the message, under “Turn options”.',
  CONCURRENT_TURN_LIMIT: 'Wait until other chats in the organization have their replies.',
};

function adviceFor({ state, error }: LiveTurn): string | undefined {
  if (state === 'lost')
    return 'The connection was lost. The turn may have ended; trying again runs nothing twice.';
  return advice[reasonOf(error) ?? ''];
}
