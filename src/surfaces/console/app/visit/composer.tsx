import { Button } from '../kit/button.tsx';
import { submits, TextArea } from '../kit/field.tsx';
import { sendOnEnter, tooLong } from '../kit/message.ts';
import css from './visit.module.css';

/** Message field with send and stop buttons. */
export function Composer({
  draft,
  setDraft,
  busy,
  onSend,
  onStop,
}: {
  draft: string;
  setDraft: (text: string) => void;
  /** Whether a reply is in progress. */
  busy: boolean;
  onSend: (message: string) => void;
  onStop: () => void;
}) {
  const over = tooLong(draft);
  const sendable = !busy && over === undefined && draft.trim() !== '';
  const send = (): void => {
    if (!sendable) return;
    setDraft('');
    onSend(draft);
  };
  return (
    <form className={css.composer} onSubmit={submits(send)}>
      <TextArea
        aria-label="Message"
        placeholder="Write a message"
        className={css.message}
        rows={2}
        dir="auto"
        spellCheck
        value={draft}
        aria-invalid={over !== undefined || undefined}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={sendOnEnter(send)}
      />
      {busy ? (
        <Button variant="danger" onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button type="submit" variant="primary" disabled={!sendable}>
          Send
        </Button>
      )}
      {over !== undefined && <span className={css.tooLong}>{over}</span>}
    </form>
  );
}
