import { StateMark } from '../../kit/state.tsx';
import { cut } from '../../kit/text.ts';
import type { StudySession } from './session-labels.ts';

/** A visitor's rating and comment. */
export function Rating({ feedback: { rating, comment } }: { feedback: StudySession['feedback'] }) {
  if (rating === null) return null;
  return (
    <span>
      <StateMark state={rating > 0 ? 'passed' : 'failed'}>{rating > 0 ? 'up' : 'down'}</StateMark>{' '}
      {comment !== null && comment !== '' && <bdi>{cut(comment)}</bdi>}
    </span>
  );
}
