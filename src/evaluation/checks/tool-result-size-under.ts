import { quote } from '../text/show.ts';
import { type CheckKind, failed, missing, passed } from './shared/kind.ts';
import { allResults } from './shared/results.ts';

/** The largest result, as it came, is smaller. */
export const toolResultSizeUnder: CheckKind<'toolResultSizeUnder'> = {
  type: 'toolResultSizeUnder',
  stage: 'response',
  turnScopable: false,
  evaluate({ maxBytes, toolName }, evidence) {
    const known = allResults(evidence, toolName);
    if ('unknown' in known) return known.unknown;
    let largest = { bytes: 0, toolName: '' };
    for (const { bytes, toolName: name } of known.results) {
      if (bytes === undefined) return missing(`A result of ${quote(name)} was not measured`);
      if (bytes >= largest.bytes) largest = { bytes, toolName: name };
    }
    if (known.results.length === 0) return passed('No tool returned anything');
    const found = `The largest result, of ${quote(largest.toolName)}, has ${largest.bytes} bytes; fewer than ${maxBytes} allowed`;
    return largest.bytes < maxBytes ? passed(found) : failed(found);
  },
};
