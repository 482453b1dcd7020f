import type { FormEvent, KeyboardEvent } from 'react';
import { Button } from '../kit/button.tsx';
import { TextArea } from '../kit/field.tsx';
import css from './visit.module.css';

const mostBytes = 8192;
const mostCharacters = 8000;

/** Where a message is written and sent, and a turn is stopped. */
export function Composer({
  draft,
  setDraft,
  busy,
  onSend,
  onStop,
}: {
  draft: string;
  setDraft: (text: string) => void;
  /** A reply is under way. */
  busy: boolean;
  onSend: (message: string) => void;
  onStop: () => void;
}) {
  const tooLong = draft.length > mostCharacters || new TextEncoder().encode(draft).length > mostBytes;
  const sendable = !busy && !tooLong && draft.trim() !== '';
  const send = (): void => {
    if (!sendable) return;
    setDraft('');
    onSend(draft);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form className={css.composer} onSubmit={submit}>
      <TextArea
        aria-label="Message"
        placeholder="Write a message"
        className={css.message}
        rows={2}
        dir="auto"
        spellCheck
        value={draft}
        aria-invalid={tooLong || undefined}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={press}
      />
      {busy ? (
        <Button look="danger" onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button type="submit" look="primary" disabled={!sendable}>
          Send
        </Button>
      )}
      {tooLong && <span className={css.tooLong}>This is too long to be sent at once.</span>}
    </form>
  );
}
