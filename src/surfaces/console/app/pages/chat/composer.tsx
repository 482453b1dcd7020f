import type { ReactNode } from 'react';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { submits, TextArea } from '../../kit/field.tsx';
import { sendOnEnter, tooLong } from '../../kit/message.ts';
import css from './chat.module.css';
import { setDraft, useDraft } from './drafts.ts';
import { stopTurn } from './live-turns.ts';
import { isOpen, type LiveTurn } from './turn-state.ts';

/** Message field with send and stop buttons. */
export function Composer({
  conversation,
  turn,
  blocked,
  onSend,
  example,
  children,
}: {
  conversation: string;
  turn: LiveTurn | undefined;
  /** Why sending is disabled. */
  blocked?: string | undefined;
  onSend: (message: string) => void;
  example: ReactNode;
  children?: ReactNode;
}) {
  const draft = useDraft(conversation);
  const open = turn !== undefined && isOpen(turn);
  const over = tooLong(draft);
  const sendable = !open && blocked === undefined && over === undefined && draft.trim() !== '';
  const send = (): void => {
    if (!sendable) return;
    setDraft(conversation, '');
    onSend(draft);
  };
  return (
    <form className={css.composer} onSubmit={submits(send)}>
      <TextArea
        aria-label="Message"
        placeholder="Write a message. Enter to send, Shift+Enter for a new line."
        className={css.message}
        rows={3}
        dir="auto"
        value={draft}
        aria-invalid={over !== undefined || undefined}
        onChange={({ target }) => setDraft(conversation, target.value)}
        onKeyDown={sendOnEnter(send)}
      />
      <div className={css.foot}>
        <div className={css.more}>{children}</div>
        {(over ?? blocked) !== undefined && <span className={common.soft}>{over ?? blocked}</span>}
        {example}
        {open ? (
          <Button variant="danger" onClick={() => stopTurn(turn)}>
            Stop
          </Button>
        ) : (
          <Button type="submit" variant="primary" disabled={!sendable}>
            Send
          </Button>
        )}
      </div>
    </form>
  );
}
