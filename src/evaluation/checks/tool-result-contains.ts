import { quote } from '../text/show.ts';
import { type CheckKind, failed, missing, passed } from './shared/kind.ts';
import { allResults, searchableText, shownResults } from './shared/results.ts';

/** Some result contains a text. */
export const toolResultContains: CheckKind<'toolResultContains'> = {
  type: 'toolResultContains',
  stage: 'response',
  turnScopable: false,
  failsByAbsence: () => true,
  evaluate({ needle, caseSensitive = false, toolName }, evidence) {
    const known = allResults(evidence, toolName);
    if ('unknown' in known) return known.unknown;
    if (known.results.length === 0) return failed('No tool returned anything');
    const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
    const wanted = fold(needle);
    if (known.results.some((result) => fold(searchableText(result)).includes(wanted)))
      return passed(`A result contains ${quote(needle)}`);
    if (known.results.some(({ whole }) => !whole)) return missing('A result was too large to be kept whole');
    return failed(`No result contains ${quote(needle)}: ${shownResults(known.results)}`);
  },
};
