import { Button } from '../../kit/button.tsx';
import { Note, Problem } from '../../kit/notice.tsx';
import { StateMark } from '../../kit/state.tsx';
import css from './chat.module.css';
import { Pieces, Said } from './pieces.tsx';
import { type LiveTurn, needsNewKey, reasonOf } from './turn-state.ts';

/** The turn that goes on, or what became of it while the service has not kept it. */
export function Live({
  turn,
  onAgain,
  onEdit,
}: {
  turn: LiveTurn;
  onAgain: () => void;
  /** Takes the message back into the field. */
  onEdit: () => void;
}) {
  const { body, pieces } = turn;
  if (turn.turn?.replay)
    return (
      <li className={css.exchange}>
        <Note>
          This message had arrived before the connection was lost. What came of it is above; nothing ran
          twice.
        </Note>
      </li>
    );
  return (
    <li className={css.exchange}>
      <Said by="You" text={body.message} />
      <Pieces pieces={pieces} />
      <Outcome turn={turn} />
      {(turn.state === 'failed' || turn.state === 'lost') && (
        <Problem
          error={turn.error}
          advice={adviceFor(turn)}
          back={
            <>
              <Button onClick={onAgain}>{needsNewKey(turn) ? 'Send it anew' : 'Try again'}</Button>
              <Button look="quiet" onClick={onEdit}>
                Edit the message
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
        Another turn of this chat is under way. This one begins when it has ended.
      </StateMark>
    );
  if (state === 'running') return <StateMark state="running">the model is at work</StateMark>;
  if (state === 'stopped')
    return <StateMark state="cancelled">Stopped. Nothing of this turn is kept in the chat.</StateMark>;
  if (turn?.persisted.outcome === 'failed')
    return <Note>The turn ran, and could not be stored: the next one will not know of it.</Note>;
  if (turn?.persisted.outcome === 'superseded')
    return <Note>Somebody went on with this chat meanwhile, so this turn is not part of it.</Note>;
  return null;
}

const advice: Record<string, string> = {
  TURN_FAILED: 'Nothing was stored. Send it anew, or start a chat with another model.',
  TURN_TIMEOUT: 'Nothing was stored. Ask for less at once, or allow fewer tool calls.',
  TURN_IN_PROGRESS: 'It was waited for longer than a turn may take. Try again.',
  SESSION_FULL: 'Start a new chat.',
  SERVER_UNAVAILABLE: 'Enable the server, or start a chat with others.',
  HOST_TARGET_REQUIRED: 'Choose the client below the message, under “Only for the next turn”.',
  CONCURRENT_TURN_LIMIT: 'Wait until other chats of the organization have their replies.',
};

function adviceFor({ state, error }: LiveTurn): string | undefined {
  if (state === 'lost')
    return 'The connection was lost, and with it the turn unless it had ended by then. Trying again runs nothing twice.';
  return advice[reasonOf(error) ?? ''];
}
