import { type ContractComparison, compareExports } from '../../compatibility/exports.ts';
import { valueAt } from '../../compatibility/resolve-reference.ts';
import type { Operations } from '../../contract/index.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { ServerContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { exportServer } from '../live/export.ts';
import { contentOf, type ExportContent } from '../live/export-content.ts';
import { refuseLarge, savedBaseline } from './baseline.ts';

export const checkServerContract: Verb<'checkServerContract'> = async (context, input) => {
  const { baseline: given, failOn, ...options } = input.body;
  // A missing or oversized baseline is refused before the server is contacted.
  const { content, ...baseline } = await baselineOf(context, given);
  const current = await exportServer(context, { ...input, body: options });
  const { exportedAt, contentHash } = current;
  const same = baseline.hash === contentHash;
  const { counts, differences, omitted } = same ? nothing : await compareExports(content, current);
  const failed = counts.breaking > 0 || (failOn === 'risky' && counts.risky > 0);
  return {
    result: failed ? 'failed' : 'passed',
    failOn,
    baseline,
    current: { exportedAt, hash: contentHash },
    counts,
    differences: differences.map(({ place, ...difference }) => ({
      ...difference,
      ...('removed' !== difference.kind && shownAs('after', current, place.current)),
      ...('added' !== difference.kind && shownAs('before', content, place.baseline)),
    })),
    truncated: omitted > 0,
  };
};

const nothing: Pick<ContractComparison, 'counts' | 'differences' | 'omitted'> = {
  counts: { breaking: 0, risky: 0, safe: 0 },
  differences: [],
  omitted: 0,
};

type Given = InputOf<Operations['checkServerContract']>['body']['baseline'];

interface Baseline {
  content: ExportContent;
  source: 'request' | 'saved';
  hash: string;
  savedAt?: number;
}

async function baselineOf(context: ServerContext, given: Given): Promise<Baseline> {
  if (!given) {
    const { content, hash, savedAt } = await savedBaseline(context);
    return { content, source: 'saved', hash, savedAt };
  }
  refuseLarge(given);
  const { content, contentHash: hash } = await contentOf(given);
  return { content, source: 'request', hash };
}

/** Maximum number of characters of a value in the response, and of entries of a list or object. */
const maxTextLength = 300;
const maxParts = 20;

/** The value for the response: a long text is truncated, a large or nested value is left out. */
function shownAs(name: 'before' | 'after', document: unknown, pointer: string): Record<string, unknown> {
  const value = pointer === '' ? undefined : valueAt(document, pointer);
  if (value === undefined) return {};
  if (typeof value === 'string') return { [name]: cut(value) };
  if (typeof value !== 'object' || value === null) return { [name]: value };
  const parts = Object.values(value);
  const plain = parts.length <= maxParts && parts.every((part) => typeof part !== 'object' || part === null);
  return plain && JSON.stringify(value).length <= maxTextLength ? { [name]: value } : {};
}

function cut(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength - 1).toWellFormed()}…` : text;
}
