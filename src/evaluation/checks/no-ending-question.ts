import { quote } from '../text/show.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';

/** Of Latin, Arabic and full width scripts. */
const questionMarks = ['?', '؟', '？'];

/** The answer does not end by asking something back. */
export const noEndingQuestion: CheckKind<'noEndingQuestion'> = {
  type: 'noEndingQuestion',
  stage: 'userValue',
  turnScopable: true,
  evaluate(_check, { finalText }) {
    const end = finalText.trimEnd();
    if (!questionMarks.some((mark) => end.endsWith(mark)))
      return passed('The answer does not end with a question');
    const line = end.slice(end.lastIndexOf('\n') + 1);
    return failed(`The answer ends with a question: ${quote(line.slice(-200))}`);
  },
};
