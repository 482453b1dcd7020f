import { useState } from 'react';
import type { VisitOutput } from '../../../client/visit.ts';
import { Button } from '../kit/button.tsx';
import { AreaField, submits } from '../kit/field.tsx';
import { visit } from './access.ts';
import { wordsFor } from './turns.ts';
import css from './visit.module.css';

type Given = VisitOutput<'getVisitSession'>['feedback'];
type Rating = 1 | -1;

const longest = 2_000;

/** A rating, saved at once, and an optional comment. Both can be changed. */
export function Feedback({ sessionId, given }: { sessionId: string; given: Given }) {
  const [stored, setStored] = useState(given);
  const [comment, setComment] = useState(given.comment ?? '');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const rating = stored.rating as Rating | null;
  const noted = (stored.comment ?? '') === comment.trim();
  const give = async (next: Rating): Promise<void> => {
    setBusy(true);
    try {
      const words = comment.trim();
      const body = { rating: next, ...(words !== '' && { comment: words }) };
      setStored(await visit.giveVisitFeedback({ visitSessionId: sessionId, body }));
      setProblem(undefined);
    } catch (error) {
      setProblem(wordsFor(error));
    }
    setBusy(false);
  };
  const submit = submits(() => {
    if (rating !== null) void give(rating);
  });
  return (
    <section className={css.feedback} aria-label="Feedback">
      <div className={css.thumbs}>
        <h2>How did it go?</h2>
        {([1, -1] as const).map((thumb) => (
          <Button
            key={thumb}
            aria-pressed={rating === thumb}
            aria-label={thumb === 1 ? 'It went well' : 'It did not go well'}
            disabled={busy}
            onClick={() => void give(thumb)}
          >
            <Thumb down={thumb === -1} />
          </Button>
        ))}
        <span role="status" className={css.soft}>
          {rating !== null && noted && 'Thank you. You can change your answer.'}
        </span>
      </div>
      {problem !== undefined && (
        <p role="alert" className={css.problem}>
          {problem}
        </p>
      )}
      {rating !== null && (
        <form className={css.form} onSubmit={submit}>
          <AreaField
            label="Anything you would like to add?"
            className={css.note}
            rows={2}
            dir="auto"
            maxLength={longest}
            value={comment}
            onChange={setComment}
          />
          {!noted && (
            <div>
              <Button type="submit" busy={busy}>
                Save comment
              </Button>
            </div>
          )}
        </form>
      )}
    </section>
  );
}

function Thumb({ down }: { down: boolean }) {
  return (
    <svg
      width={18}
      height={18}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinejoin="round"
      aria-hidden="true"
      transform={down ? 'rotate(180)' : undefined}
    >
      <path d="M5 7 7.600 1.800c1.300 0 1.900.9 1.600 2.100L8.700 6h3.700c1 0 1.700.9 1.400 1.900l-1.100 4.200c-.2.8-.8 1.300-1.600 1.300H5zM2.200 7H5v6.400H2.200z" />
    </svg>
  );
}
