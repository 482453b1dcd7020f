import { compileJavaScript, mostSearched, newWork } from '../text/pattern.ts';
import { quote } from '../text/show.ts';
import { type CheckKind, failed, missing, passed } from './shared/kind.ts';

/** A regular expression is found in the answer. */
export const responseMatches: CheckKind<'responseMatches'> = {
  type: 'responseMatches',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: () => true,
  problem({ pattern }) {
    const compiled = compileJavaScript(pattern);
    return 'problem' in compiled
      ? { path: ['pattern'], message: `Cannot be used: ${compiled.problem}` }
      : undefined;
  },
  evaluate({ pattern }, { finalText }) {
    const compiled = compileJavaScript(pattern);
    if ('problem' in compiled) return failed(`The pattern cannot be used: ${compiled.problem}`);
    if (finalText.length > mostSearched)
      return failed(`The answer has more than ${mostSearched.toLocaleString('en')} characters`);
    const matches = compiled.pattern.test(finalText, newWork());
    if (matches === undefined) return missing('The answer is too long for a pattern of this size');
    return matches
      ? passed(`The answer matches ${quote(pattern)}`)
      : failed(`The answer does not match ${quote(pattern)}: ${quote(finalText)}`);
  },
};
