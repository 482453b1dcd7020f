import { quote } from '../text/show.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';

export const responseContains: CheckKind<'responseContains'> = {
  type: 'responseContains',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: () => true,
  evaluate({ needle, caseSensitive = false }, { finalText }) {
    const contains = caseSensitive
      ? finalText.includes(needle)
      : finalText.toLowerCase().includes(needle.toLowerCase());
    if (contains) return passed(`The answer contains ${quote(needle)}`);
    return failed(
      finalText === ''
        ? `There is no answer that could contain ${quote(needle)}`
        : `The answer does not contain ${quote(needle)}: ${quote(finalText)}`,
    );
  },
};
