import { editDistance } from '../text/distance.ts';
import { quote } from '../text/show.ts';
import { type CheckKind, failed, missing, passed } from './shared/kind.ts';

const longest = 100_000;

/** Few characters of the answer would have to be changed to make the reference of it, in proportion to their length. */
export const responseCloseTo: CheckKind<'responseCloseTo'> = {
  type: 'responseCloseTo',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: () => true,
  evaluate({ reference, maxDistance, caseSensitive = false, normalizeWhitespace = false }, { finalText }) {
    if (finalText === '') return missing('There is no answer to compare');
    if (finalText.length > longest)
      return missing(`The answer has more than ${longest.toLocaleString('en')} characters`);
    const normalize = (text: string): string => {
      const folded = caseSensitive ? text : text.toLowerCase();
      return normalizeWhitespace ? folded.trim().replace(/\s+/g, ' ') : folded;
    };
    const wanted = normalize(reference);
    if (wanted === '') return missing('The reference is empty');
    const distance = editDistance(normalize(finalText), wanted);
    if (distance === undefined) return missing('The answer and the reference are too long to be compared');
    const found = `The distance of the answer from the reference is ${Number(distance.toFixed(4))}; up to ${maxDistance} allowed`;
    return distance <= maxDistance ? passed(found) : failed(`${found}: ${quote(finalText)}`);
  },
};
