import type { z } from 'zod';
import type { MatchOptions } from '../../contract/eval-checks.ts';
import type { ArgumentMode } from './arguments.ts';

/** Match options as stored, with either the current or the older field names. */
export type WrittenMatchOptions = z.output<typeof MatchOptions>;

export interface ResolvedMatchOptions {
  order: 'any' | 'in-order' | 'exact';
  /** Maximum number of calls beyond the expected ones; `null` is unlimited. */
  extra: number | null;
  arguments: ArgumentMode;
}

/** The field names of API responses. */
export interface PublicMatchOptions {
  toolCallOrder?: ResolvedMatchOptions['order'];
  extraToolCalls?: number | 'unlimited';
  arguments?: ArgumentMode;
}

export const defaultMatchOptions: ResolvedMatchOptions = { order: 'any', extra: null, arguments: 'partial' };

/** Accepted spellings of the order, including the older ones. */
const orders = {
  any: 'any',
  'in-order': 'in-order',
  exact: 'exact',
  ignore: 'any',
  superset: 'in-order',
  strict: 'exact',
} as const;

/**
 * Later layers override earlier ones, field by field. Pass the options of the suite, the case and the run in that
 * order.
 */
export function resolveMatchOptions(
  ...layers: readonly (WrittenMatchOptions | null | undefined)[]
): ResolvedMatchOptions {
  return Object.assign({}, defaultMatchOptions, ...layers.map((layer) => understood(layer ?? {})));
}

/** The written options only, with the field names of API responses. */
export function publicMatchOptions(written: WrittenMatchOptions): PublicMatchOptions {
  const { order, extra, arguments: mode } = understood(written);
  return {
    ...(order !== undefined && { toolCallOrder: order }),
    ...(extra !== undefined && { extraToolCalls: extra ?? ('unlimited' as const) }),
    ...(mode !== undefined && { arguments: mode }),
  };
}

function understood(written: WrittenMatchOptions): Partial<ResolvedMatchOptions> {
  const extra = extraOf(written);
  const mode = written.arguments ?? written.argumentMatching;
  return {
    ...(written.toolCallOrder !== undefined && { order: orders[written.toolCallOrder] }),
    ...(extra !== undefined && { extra }),
    ...(mode !== undefined && { arguments: mode }),
  };
}

function extraOf({
  extraToolCalls,
  maxExtraToolCalls,
  allowExtraToolCalls,
}: WrittenMatchOptions): number | null | undefined {
  if (extraToolCalls !== undefined) return extraToolCalls === 'unlimited' ? null : extraToolCalls;
  if (maxExtraToolCalls !== undefined) return maxExtraToolCalls;
  if (allowExtraToolCalls !== undefined) return allowExtraToolCalls ? null : 0;
  return undefined;
}
